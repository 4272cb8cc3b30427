import { isRecord } from '../events/jsonGuards';
import { type JsonRecord, numberAt, readRecord, recordAt, textAt } from '../features/jsonFields';
import type { EngineFault } from './engineEvent';
import type { EngineFailure } from './engineFacts';
import { httpFault } from './httpFault';

const faults: Readonly<Record<string, EngineFault>> = {
  usage_limit_exceeded: 'rate limited',
  unauthorized: 'auth',
  context_window_exceeded: 'config',
  bad_request: 'config',
  server_overloaded: 'overloaded',
  internal_server_error: 'overloaded',
};

/**
 * Why a codex run failed and when its limit ends, from its rollout file; null where that does not say. The file is
 * `sessions/YYYY/MM/DD/rollout-<time>-<thread id>.jsonl` below CODEX_HOME; its last 256 KB are enough.
 */
export function readCodexRollout(text: string): Pick<EngineFailure, 'fault' | 'resetsAt'> | null {
  let fault: EngineFault | null = null;
  let resetsAt: number | null = null;
  for (const line of text.split('\n')) {
    const payload = recordAt(readRecord(line) ?? {}, 'payload');
    switch (textAt(payload, 'type')) {
      case 'task_started':
        fault = null;
        break;
      case 'task_complete':
        fault = faultOf(recordAt(payload, 'error')['codex_error_info']);
        break;
      case 'token_count':
        resetsAt = resetOf(recordAt(payload, 'rate_limits')) ?? resetsAt;
        break;
      default:
        break;
    }
  }
  return fault === null ? null : { fault, resetsAt: fault === 'rate limited' ? resetsAt : null };
}

/** A word, or one word with the status of an answer inside. */
function faultOf(said: unknown): EngineFault | null {
  if (typeof said === 'string') {
    return faults[said] ?? 'other';
  }
  if (!isRecord(said)) {
    return null;
  }
  const [inner] = Object.values(said).filter(isRecord);
  return httpFault(numberAt(inner ?? {}, 'http_status_code')) ?? 'other';
}

/** The end of the first limit that is used up. */
function resetOf(limits: JsonRecord): number | null {
  const usedUp = [recordAt(limits, 'primary'), recordAt(limits, 'secondary')].find(
    (limit) => (numberAt(limit, 'used_percent') ?? 0) >= 100,
  );
  const seconds = usedUp === undefined ? null : numberAt(usedUp, 'resets_at');
  return seconds === null ? null : seconds * 1000;
}
