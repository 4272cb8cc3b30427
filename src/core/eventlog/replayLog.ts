import { type EventLine, readEventLine } from '../protocol/events/eventLine';
import { EventSequence, type SequenceFaults } from './eventSequence';
import type { LogFold, LogMoment, LogPlace } from './logFormat';
import { readLines } from './readLines';
import { eachSegment, type LogView, newestState, openClosed, removedUpTo, stateBefore, viewSegments } from './segments';

/** What a replay met beside the events that hold. */
export interface LogFaults extends SequenceFaults {
  /** Lines that are no events. */
  readonly damaged: number;
}

/** A log read to its end. */
export interface Replay<M extends LogMoment> {
  readonly fold: LogFold<M>;
  readonly faults: LogFaults;
  /** Bytes of the current segment up to the end of its last whole line. */
  readonly wholeBytes: number;
  /** Sequence number of the first line of the current segment; null where it has none. */
  readonly currentFirst: number | null;
}

/** The events behind `after`, in order. Looks at no snapshot. */
export async function readEvents<M extends LogMoment>(
  place: LogPlace<M>,
  after: number,
  onEvent: (event: EventLine) => void,
): Promise<LogFaults> {
  return (await read(place, { seq: after, epoch: 0 }, onEvent)).faults;
}

/** Folds the whole log, beginning at the newest snapshot, or at the oldest line where `bare` asks for it. */
export async function replayLog<M extends LogMoment>(
  place: LogPlace<M>,
  { bare = false }: { readonly bare?: boolean } = {},
): Promise<Replay<M>> {
  const base = bare ? await oldestState(place) : await newestState(place);
  const fold = place.format.foldFrom(base);
  const rest = await read(place, base, (event) => {
    fold.apply(event);
  });
  return { fold, ...rest };
}

/**
 * What the log told at a past moment: everything up to the last event that is not later. `time` is epoch milliseconds.
 * With a clock that was set back the order of the log counts, not that of the times.
 */
export async function momentAt<M extends LogMoment>(place: LogPlace<M>, time: number): Promise<M> {
  const limit = new Date(time).toISOString();
  const view = await viewSegments(place);
  try {
    const first = await lastStartedBy(place, view, limit);
    return first === null ? place.format.empty() : await foldUpTo(place, view, { first, limit });
  } finally {
    await view.current?.file.close();
  }
}

/** The first line's number of the newest segment that began by then. */
async function lastStartedBy<M extends LogMoment>(
  place: LogPlace<M>,
  { closed, current }: LogView,
  limit: string,
): Promise<number | null> {
  if (current !== null && current.firstAt <= limit) {
    return current.first;
  }
  for (const first of [...closed].reverse()) {
    const segment = await openClosed(place, first);
    await segment?.file.close();
    if (segment !== null && segment.firstAt <= limit) {
      return first;
    }
  }
  return null;
}

async function foldUpTo<M extends LogMoment>(
  place: LogPlace<M>,
  view: LogView,
  { first, limit }: { readonly first: number; readonly limit: string },
): Promise<M> {
  const base = await newestBaseFor(place, view, first);
  const fold = place.format.foldFrom(base);
  const waiting: EventLine[] = [];
  const end = [...view.closed, view.current?.first ?? Number.MAX_SAFE_INTEGER].find((start) => start > first);
  await readView(place, view, base, (event) => {
    if (event.seq >= (end ?? Number.MAX_SAFE_INTEGER)) {
      return;
    }
    waiting.push(event);
    if (event.timestamp <= limit) {
      for (const one of waiting.splice(0)) {
        fold.apply(one);
      }
    }
  });
  return fold.moment;
}

/** What was before the oldest line: nothing, unless old segments were removed. */
async function oldestState<M extends LogMoment>(place: LogPlace<M>): Promise<M> {
  const view = await viewSegments(place);
  await view.current?.file.close();
  const removed = await removedUpTo(place, view);
  return (removed === 0 ? null : await stateBefore(place, removed + 1)) ?? place.format.empty();
}

/** The snapshot before that segment, or before the nearest older one that has one. */
async function newestBaseFor<M extends LogMoment>(place: LogPlace<M>, { closed }: LogView, first: number): Promise<M> {
  for (const start of [first, ...closed.filter((number) => number < first).reverse()]) {
    const base = await stateBefore(place, start);
    if (base !== null) {
      return base;
    }
  }
  return place.format.empty();
}

type Reading = Omit<Replay<LogMoment>, 'fold'>;

async function read<M extends LogMoment>(
  place: LogPlace<M>,
  after: LogMoment,
  onEvent: (event: EventLine) => void,
): Promise<Reading> {
  const view = await viewSegments(place);
  try {
    const removed = await removedUpTo(place, view);
    return await readView(place, view, after.seq < removed ? { seq: removed, epoch: 0 } : after, onEvent);
  } finally {
    await view.current?.file.close();
  }
}

async function readView<M extends LogMoment>(
  place: LogPlace<M>,
  view: LogView,
  after: LogMoment,
  onEvent: (event: EventLine) => void,
): Promise<Reading> {
  const { batchLines, lineBytes } = place.format;
  const sequence = new EventSequence({ after, batchLines }, onEvent);
  let damaged = 0;
  let wholeBytes = 0;
  await eachSegment(place, view, after.seq, async ({ file }) => {
    wholeBytes = await readLines(file, { from: 0, lineBytes }, (text) => {
      const line = readEventLine(text);
      if (line !== null) {
        sequence.push(line);
      } else if (text.trim() !== '') {
        damaged += 1;
      }
    });
  });
  sequence.end();
  const { current } = view;
  return {
    faults: { ...sequence.faults, damaged },
    wholeBytes: current === null ? 0 : wholeBytes,
    currentFirst: current?.first ?? null,
  };
}
