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
  const { seq, epoch, at, leader, forgetAt, queue, workers, fuses = [] } = value;
  const sound =
    isPlace(value) &&
    (leader === null || isRecord(leader)) &&
    // Absent in snapshots of older versions.
    isTexts(fuses) &&
    isPairs(queue, (type) => typeof type === 'string') &&
    isPairs(workers, isWorkerMoment);
  if (!sound) {
    return null;
  }
  return {
    ...({ seq, epoch, at, leader, forgetAt } as Omit<FleetMoment, 'queue' | 'workers' | 'fuses'>),
    fuses: isTexts(fuses) ? fuses : [],
    queue: new Map(queue as [string, string][]),
    workers: new Map(workers as [string, WorkerMoment][]),
  };
}

function isPlace({ seq, epoch, at, forgetAt }: Readonly<Record<string, unknown>>): boolean {
  const hasNumbers = [seq, epoch, forgetAt].every((number) => Number.isSafeInteger(number));
  return hasNumbers && (at === null || typeof at === 'string');
}

function isPairs(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && isValue(pair[1]))
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isWorkerMoment(value: unknown): boolean {
  return isRecord(value) && ['type', 'startedAt', 'changedAt'].every((key) => typeof value[key] === 'string');
}
