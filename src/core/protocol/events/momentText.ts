import type { FleetMoment, WorkerMoment } from './fleetMoment';
import { isRecord, readJson } from './jsonGuards';

const VERSION = 1;

/** A moment as the text of a snapshot file. */
export function formatMoment({ workers, queue, ...rest }: FleetMoment): string {
  return `${JSON.stringify({ v: VERSION, ...rest, queue: [...queue], workers: [...workers] })}\n`;
}

/** Reads a snapshot file; null when it is none: the log itself is folded then. */
export function readMoment(text: string): FleetMoment | null {
  const value = readJson(text);
  if (!isRecord(value) || value['v'] !== VERSION) {
    return null;
  }
  const { seq, epoch, at, leader, forgetAt, queue, workers } = value;
  const sound =
    [seq, epoch, forgetAt].every((number) => Number.isSafeInteger(number)) &&
    (at === null || typeof at === 'string') &&
    (leader === null || isRecord(leader)) &&
    isPairs(queue, (type) => typeof type === 'string') &&
    isPairs(workers, isWorkerMoment);
  if (!sound) {
    return null;
  }
  return {
    ...({ seq, epoch, at, leader, forgetAt } as Omit<FleetMoment, 'queue' | 'workers'>),
    queue: new Map(queue as [string, string][]),
    workers: new Map(workers as [string, WorkerMoment][]),
  };
}

function isPairs(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && isValue(pair[1]))
  );
}

function isWorkerMoment(value: unknown): boolean {
  return isRecord(value) && ['type', 'startedAt', 'changedAt'].every((key) => typeof value[key] === 'string');
}
