import type { KeeperFacts } from './workerFacts';

/** Keeper and process are both provably gone, and nobody saw the exit, whether or not that is on record (lifecycle §7). */
export function endedUnseen({ keeper, process, record }: KeeperFacts): boolean {
  const exit = record.attempts.at(-1)?.exit ?? null;
  return keeper === 'dead' && process === 'dead' && (exit === null || exit.class === 'unknown exit');
}
