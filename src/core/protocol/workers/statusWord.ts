import type { RegistryStatus } from './registryEntry';

const SYNONYMS: ReadonlyMap<string, RegistryStatus> = new Map<string, RegistryStatus>([
  ...words('starting', 'start', 'pending', 'queued', 'launching', 'initializing'),
  ...words('running', 'in-progress', 'active', 'working', 'started'),
  ...words('completing', 'finishing', 'finalizing'),
  ...words('completed', 'complete', 'done', 'success', 'succeeded', 'successful', 'finished'),
  ...words('failed', 'fail', 'failure', 'error', 'errored', 'crashed'),
  ...words('stop-requested', 'stopping', 'cancelling', 'canceling'),
  ...words('stopped', 'stop', 'cancelled', 'canceled', 'aborted', 'killed', 'terminated'),
  ...words('unknown'),
]);

function words(status: RegistryStatus, ...synonyms: readonly string[]): readonly (readonly [string, RegistryStatus])[] {
  return [status, ...synonyms].map((word) => [word, status] as const);
}

/** The status that `raw` means: case, `_`, blanks and the usual synonyms are folded (workers.md §4.11); else null. */
export function foldStatusWord(raw: unknown): RegistryStatus | null {
  if (typeof raw !== 'string' || raw.length > 64) {
    return null;
  }
  const word = raw
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');
  return SYNONYMS.get(word) ?? null;
}

/** Whether a worker with this status has ended. `unknown` is no end. */
export function isTerminal(status: RegistryStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}

/** Whether a worker with this status takes a slot (workers.md §4.3). */
export function isActive(status: RegistryStatus): boolean {
  return status === 'starting' || status === 'running';
}
