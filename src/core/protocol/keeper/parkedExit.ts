import type { ExitRecord } from './exitRecord';
import type { KeeperRecord } from './keeperRecord';

/**
 * Whether this end parks a worker, which then goes on under its own id: the service takes no requests for a while, or the
 * program hung at its first start (lifecycle §4).
 */
export function parks({ class: exitClass, transient }: Pick<ExitRecord, 'class' | 'transient'>): boolean {
  return exitClass === 'rate limited' || (exitClass === 'never started' && transient === true);
}

/** Whether the last attempt ended so. */
export function isParkedRecord({ attempts }: Pick<KeeperRecord, 'attempts'>): boolean {
  const exit = attempts.at(-1)?.exit ?? null;
  return exit !== null && parks(exit);
}
