/** Files of the state folder that are no feature, whatever they hold (the fixtures' README). */
const RESERVED = /^(?:(?:heartbeat|progress|tokens)-.*|token-cache|escalations|repo-index|adaptive-detail)$/;

/** Whether `.zerg/state/{name}.json` can be the state of a feature. */
export function isFeatureName(name: string): boolean {
  return !name.startsWith('.') && !RESERVED.test(name);
}
