import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/errorText';
import { type EventLine, readEventLine } from '../protocol/events/eventLine';
import { readBounded } from '../system/boundedRead';
import type { LogMoment, LogPlace } from './logFormat';

/** One piece of the log, open for reading. */
export interface Segment {
  readonly file: FileHandle;
  /** Sequence number of its first line. */
  readonly first: number;
  /** Timestamp of its first line. */
  readonly firstAt: string;
}

const NAME = /^(\d{12})\.(jsonl|state\.json)$/;
const STATE_MAX_BYTES = 64 * 1024 * 1024;
const FIRST_LINE_BYTES = 64 * 1024;
const MAX_ROUNDS = 5;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

type Folder = Pick<LogPlace<LogMoment>, 'closedDir'>;

/** A closed segment, by the number of its first line. */
export function closedSegment(place: Folder, first: number): string {
  return numbered(place, first, 'jsonl');
}

/** What the log told before line `first`, as a snapshot. */
export function stateFile(place: Folder, first: number): string {
  return numbered(place, first, 'state.json');
}

/**
 * Removes the oldest closed segments until at most `kept` are left, with the snapshots before them. The snapshot before
 * the oldest one that stays is what a replay begins with from then on.
 */
export async function removeOldSegments(place: Folder, kept: number): Promise<void> {
  const segments = await numbersOf(place, 'jsonl');
  const first = segments.at(-kept);
  if (segments.length <= kept || first === undefined || !(await numbersOf(place, 'state.json')).includes(first)) {
    return;
  }
  for (const old of segments.filter((number) => number < first)) {
    await rm(closedSegment(place, old), { force: true });
  }
  for (const old of (await numbersOf(place, 'state.json')).filter((number) => number < first)) {
    await rm(stateFile(place, old), { force: true });
  }
}

/** The number before the oldest line, where a snapshot tells what was before; 0 where the log begins with its first. */
export async function removedUpTo<M extends LogMoment>(
  place: LogPlace<M>,
  { closed, current }: LogView,
): Promise<number> {
  const oldest = closed[0] ?? current?.first ?? 1;
  return oldest > 1 && (await stateBefore(place, oldest)) !== null ? oldest - 1 : 0;
}

/** The newest snapshot that can be read, or the empty moment. */
export async function newestState<M extends LogMoment>(place: LogPlace<M>): Promise<M> {
  const numbers = await numbersOf(place, 'state.json');
  for (const first of numbers.reverse()) {
    const moment = await stateBefore(place, first);
    if (moment !== null) {
      return moment;
    }
  }
  return place.format.empty();
}

/** The snapshot that stands before line `first`; null when there is none that can be read. */
export async function stateBefore<M extends LogMoment>(place: LogPlace<M>, first: number): Promise<M | null> {
  const file = await readBounded(stateFile(place, first), STATE_MAX_BYTES);
  const moment = file.kind === 'ok' ? place.format.readMoment(file.text) : null;
  return moment?.seq === first - 1 ? moment : null;
}

/** The log as it stood at one moment. */
export interface LogView {
  /** Numbers of the first lines of the closed segments, oldest first. */
  readonly closed: readonly number[];
  /** The segment that grows, held open, so that it can be turned over meanwhile; null before its first event. */
  readonly current: Segment | null;
}

/** Looks which segments there are, so that one that is turned over meanwhile is neither missed nor read twice. */
export async function viewSegments<M extends LogMoment>(place: LogPlace<M>): Promise<LogView> {
  for (let round = 1; ; round += 1) {
    const before = await numbersOf(place, 'jsonl');
    const current = await openSegment(place.current, place.format.lineBytes);
    const closed = await numbersOf(place, 'jsonl');
    if (before.length === closed.length || round === MAX_ROUNDS) {
      return { closed, current };
    }
    await current?.file.close();
  }
}

/** Hands over the segments of a view that have lines behind `after`, oldest first, each open for as long as `job` runs. */
export async function eachSegment<M extends LogMoment>(
  place: LogPlace<M>,
  { closed, current }: LogView,
  after: number,
  job: (segment: Segment) => Promise<void>,
): Promise<void> {
  const starts = current === null ? closed : [...closed, current.first];
  for (const [index, first] of closed.entries()) {
    const isWanted = (starts[index + 1] ?? Number.MAX_SAFE_INTEGER) > after + 1;
    const segment = isWanted ? await openClosed(place, first) : null;
    if (segment !== null) {
      await job(segment).finally(async () => segment.file.close());
    }
  }
  if (current !== null) {
    await job(current);
  }
}

/** The closed segment with this first line; null where there is none. The caller closes the file. */
export async function openClosed<M extends LogMoment>(place: LogPlace<M>, first: number): Promise<Segment | null> {
  return await openSegment(closedSegment(place, first), place.format.lineBytes);
}

/** Null where there is no such regular file, or no event in the beginning of it. The caller closes the file. */
async function openSegment(path: string, lineBytes: number): Promise<Segment | null> {
  const file = await openRegular(path);
  if (file === null) {
    return null;
  }
  const first = await firstEvent(file, lineBytes).catch(() => null);
  if (first === null) {
    await file.close();
    return null;
  }
  return { file, first: first.seq, firstAt: first.timestamp };
}

async function firstEvent(file: FileHandle, lineBytes: number): Promise<EventLine | null> {
  const { size } = await file.stat();
  const near = await firstEventIn(file, FIRST_LINE_BYTES);
  // A first line that is longer than what was read ends further on.
  return near === null && size > FIRST_LINE_BYTES && lineBytes > FIRST_LINE_BYTES
    ? await firstEventIn(file, Math.min(size, 2 * lineBytes))
    : near;
}

async function firstEventIn(file: FileHandle, bytes: number): Promise<EventLine | null> {
  const buffer = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  for (const line of buffer.toString('utf8', 0, bytesRead).split('\n')) {
    const event = readEventLine(line);
    if (event !== null) {
      return event;
    }
  }
  return null;
}

/** Opens a regular file to read; null where there is none, also for a link or a device. The caller closes it. */
export async function openRegular(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, FLAGS);
    if ((await file.stat()).isFile()) {
      return file;
    }
    await file.close();
    return null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) {
      return null;
    }
    throw error;
  }
}

function numbered({ closedDir }: Folder, first: number, end: string): string {
  return join(closedDir, `${String(first).padStart(12, '0')}.${end}`);
}

async function numbersOf({ closedDir }: Folder, end: 'jsonl' | 'state.json'): Promise<number[]> {
  const names = await readdir(closedDir).catch(() => []);
  return names
    .map((name) => NAME.exec(name))
    .filter((match) => match?.[2] === end)
    .map((match) => Number(match?.[1]))
    .sort((a, b) => a - b);
}
