/** The id of what a worker's program asks. */
export function askItemId(workerId: string, requestId: string): string {
  return `ask:${workerId}:${requestId}`;
}

/** The id of what a worker's row itself says. */
export function rowItemId(workerId: string): string {
  return `worker:${workerId}`;
}

/** Whether an item is about a message or an agent of the session; all others are about workers. */
export function isOfSession(item: string): boolean {
  return /^(?:msg|agent):/.test(item);
}

/** What an id or a worker's id names among the requests: the worker's oldest one where it names none itself. */
export function requestNamed(name: string): { readonly worker: string; readonly requestId?: string } {
  const [, worker, requestId] = /^ask:([^:]+):(.+)$/.exec(name) ?? [];
  return worker === undefined || requestId === undefined ? { worker: name } : { worker, requestId };
}

/** The worker that an item or a worker's id names. */
export function workerOfItem(item: string): string {
  return /^worker:(.+)$/.exec(item)?.[1] ?? requestNamed(item).worker;
}
