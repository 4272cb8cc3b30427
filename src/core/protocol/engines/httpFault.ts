import type { EngineFault } from './engineEvent';

/** What an HTTP status of a model's service means for the worker; null where it says nothing. */
export function httpFault(status: number | null): EngineFault | null {
  if (status === null) {
    return null;
  }
  if (status === 429) {
    return 'rate limited';
  }
  if (status === 401 || status === 403) {
    return 'auth';
  }
  if (status === 408 || status >= 500) {
    return 'overloaded';
  }
  return status >= 400 ? 'config' : null;
}
