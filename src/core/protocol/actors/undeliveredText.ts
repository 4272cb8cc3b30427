import { asciiJson } from '../events/asciiJson';
import type { SessionMoment } from './sessionMoment';

/**
 * The text of `undelivered.jsonl` (actors.md §1): a line for each message and agent that has not got it, oldest first,
 * ASCII. `ttlMs` is how long mail waits.
 */
export function undeliveredText({ mail }: SessionMoment, ttlMs: number): string {
  const lines = [...mail.values()].flatMap(({ message, sentAt, waitingFor }) => {
    const sentMs = Date.parse(sentAt);
    const expiresAt = Number.isNaN(sentMs) ? sentAt : new Date(sentMs + ttlMs).toISOString();
    return waitingFor.map((agent) => `${asciiJson({ agent, message, timestamp: sentAt, expiresAt })}\n`);
  });
  return lines.join('');
}
