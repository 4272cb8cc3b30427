import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatusReading } from '../workerFacts';
import { entryOf, instant, registryStatus, statusDocument } from '../../../../test/support/protocolArbitraries';
import { refreshEntry, shouldPrune, type RefreshFacts } from './refreshEntry';
import type { RegistryEntry, RegistryStatus, StatusDocument, StatusWord } from './registryEntry';
import { isTerminal } from './statusWord';
import { formatTimestamp } from './timestamp';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 2, 1, 14, 30, 22);
const NOW = START + 10 * MINUTE;

function entry(status: RegistryStatus, completedMs: number | null = null): RegistryEntry {
  return {
    worker_id: 'wkr-20260301-143022-consolidate',
    type: 'consolidate',
    status,
    model: 'sonnet',
    started_at: formatTimestamp(START),
    completed_at: completedMs === null ? null : formatTimestamp(completedMs),
    output_dir: '.keysarium/workers/wkr-20260301-143022-consolidate/',
    retry_count: 0,
    extra: { note: 'kept' },
  };
}

function says(status: StatusWord, mtimeMs = NOW, completedMs: number | null = null): StatusReading {
  const completed_at = completedMs === null ? null : formatTimestamp(completedMs);
  const rest = { worker_id: null, type: null, started_at: null, progress: null, error: null };
  return { kind: 'ok', mtimeMs, document: { ...rest, status, completed_at } };
}

function refresh(facts: Partial<RefreshFacts>): RegistryEntry {
  return refreshEntry({ ...base(), ...facts }).entry;
}

function base(): RefreshFacts {
  return { entry: entry('running'), status: { kind: 'absent' }, stopFlagAt: null, newestMtimeMs: null, now: NOW };
}

describe('the status protocol', () => {
  it.each<[string, Partial<RefreshFacts>, RegistryStatus]>([
    [
      'the worker’s terminal word wins over a stop request',
      { entry: entry('stop-requested'), status: says('completed'), stopFlagAt: NOW },
      'completed',
    ],
    [
      'the worker’s terminal word wins over ours',
      { entry: entry('failed', NOW), status: says('completed') },
      'completed',
    ],
    ['the worker’s terminal word reverses unknown', { entry: entry('unknown'), status: says('stopped') }, 'stopped'],
    [
      'a worker that was told to stop and whose folder is gone is unknown',
      { entry: entry('stop-requested') },
      'unknown',
    ],
    [
      'a worker that was told to stop and wrote nothing yet stops',
      { entry: entry('stop-requested'), newestMtimeMs: NOW },
      'stop-requested',
    ],
    ['a stop flag wins over the worker’s running', { status: says('running'), stopFlagAt: NOW }, 'stop-requested'],
    [
      'a stop request in the registry wins over the worker’s running',
      { entry: entry('stop-requested'), status: says('running') },
      'stop-requested',
    ],
    ['a stop flag is ignored once the worker has ended', { entry: entry('failed', NOW), stopFlagAt: NOW }, 'failed'],
    [
      'a stop flag from before the start is ignored',
      { status: says('running'), stopFlagAt: START - 6 * MINUTE },
      'running',
    ],
    [
      'the worker’s word wins over the registry',
      { entry: entry('starting'), status: says('completing') },
      'completing',
    ],
    ['running without status.json is unknown', {}, 'unknown'],
    [
      'starting without status.json stays for a while',
      { entry: entry('starting'), now: START + 15 * MINUTE - 1 },
      'starting',
    ],
    [
      'starting without status.json is unknown after 15 minutes',
      { entry: entry('starting'), now: START + 15 * MINUTE },
      'unknown',
    ],
    ['unknown stays unknown without status.json', { entry: entry('unknown') }, 'unknown'],
    ['any readable status.json reverses unknown', { entry: entry('unknown'), status: says('running') }, 'running'],
    [
      'an unreadable status.json changes nothing',
      { status: { kind: 'unreadable', reason: 'x', lastGood: null, mtimeMs: NOW } },
      'running',
    ],
    [
      'an unreadable status.json leaves its last good word',
      {
        entry: entry('starting'),
        status: { kind: 'unreadable', reason: 'x', lastGood: documentOf('running'), mtimeMs: NOW },
      },
      'running',
    ],
    [
      'an older status.json does not revive what has ended',
      { entry: entry('stopped', NOW), status: says('running', NOW - 1) },
      'stopped',
    ],
    [
      'nor does one from the very second of the end',
      { entry: entry('stopped', NOW), status: says('running', NOW + 900) },
      'stopped',
    ],
    [
      'a worker that writes on long after its end speaks again',
      { entry: entry('failed', NOW), status: says('running', NOW + 6 * MINUTE) },
      'running',
    ],
  ])('%s', (_title, facts, expected) => {
    const refreshed = refresh(facts);
    expect(refreshed.status).toBe(expected);
    expect(refreshed.completed_at === null).toBe(!isTerminal(expected));
  });

  it('takes the worker’s own end where it can be true, else the file’s time', () => {
    expect(refresh({ status: says('completed', NOW, NOW - MINUTE) }).completed_at).toBe(formatTimestamp(NOW - MINUTE));
    expect(refresh({ status: says('completed', NOW, START - HOUR) }).completed_at).toBe(formatTimestamp(NOW));
    expect(refresh({ status: says('failed', NOW) }).completed_at).toBe(formatTimestamp(NOW));
  });

  it('does not move an end that the registry knows', () => {
    const ended = entry('completed', NOW - MINUTE);
    expect(refresh({ entry: ended, status: says('completed', NOW, NOW) })).toBe(ended);
    expect(refresh({ entry: entry('stopped'), status: says('stopped', NOW) }).completed_at).toBe(formatTimestamp(NOW));
  });

  const reading: fc.Arbitrary<StatusReading> = fc.oneof(
    fc.constant<StatusReading>({ kind: 'absent' }),
    fc.record({ kind: fc.constant('ok' as const), document: statusDocument, mtimeMs: instant }),
    fc.record({
      kind: fc.constant('unreadable' as const),
      reason: fc.string(),
      lastGood: fc.option(statusDocument),
      mtimeMs: fc.option(instant),
    }),
  );
  const facts: fc.Arbitrary<RefreshFacts> = fc.record({
    entry: entryOf(),
    status: reading,
    stopFlagAt: fc.option(instant),
    newestMtimeMs: fc.option(instant),
    now: instant,
  });

  it('never invents an end, and changes nothing but status and completed_at', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { entry: after } = refreshEntry(given);
        const { status, completed_at } = given.entry;
        expect({ ...after, status, completed_at }).toEqual(given.entry);
        const heard =
          given.status.kind === 'ok'
            ? given.status.document
            : given.status.kind === 'absent'
              ? null
              : given.status.lastGood;
        expect(!isTerminal(after.status) || after.status === status || after.status === heard?.status).toBe(true);
      }),
    );
  });

  it('comes to rest: a second look at the same facts changes nothing', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const once = refreshEntry(given).entry;
        expect(refreshEntry({ ...given, entry: once }).entry).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });
});

function documentOf(status: StatusWord): StatusDocument {
  return { worker_id: null, type: null, status, started_at: null, completed_at: null, progress: null, error: null };
}

describe('a stale worker', () => {
  const stale = (given: Partial<RefreshFacts>): boolean =>
    refreshEntry({ ...base(), status: says('running'), ...given }).stale;

  it('is one whose files have not changed for more than 15 minutes', () => {
    expect(stale({ newestMtimeMs: START + HOUR, now: START + HOUR + 15 * MINUTE })).toBe(false);
    expect(stale({ newestMtimeMs: START + HOUR, now: START + HOUR + 15 * MINUTE + 1 })).toBe(true);
    expect(stale({ newestMtimeMs: null, now: START + 16 * MINUTE })).toBe(true);
  });

  it('is not one that has ended, is unknown, or stands before a clock that went back', () => {
    expect(stale({ status: says('completed'), now: START + HOUR })).toBe(false);
    expect(stale({ status: { kind: 'absent' }, now: START + HOUR })).toBe(false);
    expect(stale({ newestMtimeMs: START + HOUR, now: START - HOUR })).toBe(false);
  });
});

describe('pruning', () => {
  const DAY = 24 * HOUR;

  it('takes an ended worker strictly after 24 hours', () => {
    const ended = entry('completed', NOW);
    expect(shouldPrune(ended, null, NOW + DAY)).toBe(false);
    expect(shouldPrune(ended, null, NOW + DAY + 1)).toBe(true);
    expect(shouldPrune(ended, NOW + DAY, NOW + DAY + 1)).toBe(true);
  });

  it('falls back to the mtime of status.json, then to the start', () => {
    expect(shouldPrune(entry('failed'), NOW + HOUR, NOW + DAY + 1)).toBe(false);
    expect(shouldPrune(entry('failed'), NOW, NOW + DAY + 1)).toBe(true);
    expect(shouldPrune(entry('stopped'), null, START + DAY + 1)).toBe(true);
  });

  it('does not believe an end from before the start or from the future', () => {
    expect(shouldPrune(entry('completed', START - 40 * DAY), NOW, NOW + HOUR)).toBe(false);
    expect(shouldPrune(entry('completed', NOW + 365 * DAY), NOW, NOW + DAY + 1)).toBe(true);
  });

  it('never takes a worker that has not ended', () => {
    fc.assert(
      fc.property(registryStatus, (status) => {
        expect(shouldPrune(entry(status, NOW), NOW, NOW + 3 * DAY)).toBe(isTerminal(status));
      }),
    );
  });

  it('takes nothing while the clock stands before anything that is known', () => {
    expect(shouldPrune(entry('completed', START - 40 * DAY), null, START - HOUR)).toBe(false);
    expect(shouldPrune(entry('completed', START - 40 * DAY), START - 3 * DAY, START - HOUR)).toBe(false);
    expect(shouldPrune(entry('completed', START), START + 3 * DAY, START + 2 * DAY)).toBe(false);
  });
});
