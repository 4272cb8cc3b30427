const HELD: ReadonlySet<string> = new Set(['claimed', 'in_progress', 'verifying']);
const BEGUN: ReadonlySet<string> = new Set([...HELD, 'waiting_retry', 'failed', 'complete']);

/** Whether some worker is at it: such a task is stranded when its worker is gone (features.md §2). */
export function isHeld(status: string): boolean {
  return HELD.has(status);
}

/** Whether it shows that its level has begun. */
export function hasBegun(status: string): boolean {
  return BEGUN.has(status);
}
