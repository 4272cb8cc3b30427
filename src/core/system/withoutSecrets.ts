import { isRecord } from '../protocol/events/jsonGuards';
import type { EngineEvent } from '../protocol/engines/engineEvent';
import { redact } from './redact';

/** These are compared with each other and never shown; a secret in one of them would be none. */
const IDS = new Set(['kind', 'id', 'requestId', 'key', 'covers', 'fault', 'sessionId']);
/** The mark behind a text that was cut while it arrived. */
const CUT = '…';
const SHORTEST_PIECE = 4;

/** The event with all its texts free of secrets, also of one that was cut in two. */
export function withoutSecrets(event: EngineEvent, secrets: readonly string[]): EngineEvent {
  const entries = Object.entries(event).map(([key, value]: [string, unknown]) => {
    return [key, IDS.has(key) ? value : redacted(value, secrets)] as const;
  });
  return Object.fromEntries(entries) as unknown as EngineEvent;
}

function redacted(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    return withoutCutSecret(redact(value, secrets), secrets);
  }
  if (Array.isArray(value)) {
    return value.map((item) => redacted(item, secrets));
  }
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, secrets)]))
    : value;
}

function withoutCutSecret(text: string, secrets: readonly string[]): string {
  if (!text.endsWith(CUT)) {
    return text;
  }
  const whole = text.slice(0, -CUT.length);
  const longest = Math.max(0, ...secrets.map((secret) => beginningAtEnd(whole, secret)));
  return longest < SHORTEST_PIECE ? text : `${whole.slice(0, whole.length - longest)}***${CUT}`;
}

/** So many characters at the end of the text are the beginning of the secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_PIECE; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) {
      return length;
    }
  }
  return 0;
}
