import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anExit } from '../../../../test/support/workerFacts';
import { workerStateKinds } from '../snapshot';
import { stopSteps } from '../keeper/stopReceipt';
import { formatEventLine, readEventLine, type EventLine } from './eventLine';
import { newsIn } from './eventNews';
import type { FleetEvent } from './fleetEvent';
import { emptyMoment, type FleetMoment } from './fleetMoment';
import { MomentFold } from './momentFold';
import { formatMoment, readMoment } from './momentText';

const worker = fc.constantFrom('wkr-a', 'wkr-b', 'wkr-c');
const exits = ['2026-03-01T14:31:00.000Z', '2026-03-01T14:32:00.000Z'].map((at) => anExit({ at }));
const event: fc.Arbitrary<FleetEvent> = fc.oneof(
  worker.map(
    (id): FleetEvent => ({
      type: 'WorkerStarted',
      data: { worker: id, workerType: 't', startedAt: '2026-03-01T14:30:00.000Z', by: null, found: false },
    }),
  ),
  fc.tuple(worker, fc.constantFrom(...workerStateKinds)).map(
    ([id, to]): FleetEvent => ({
      type: 'WorkerStateChanged',
      data: { worker: id, from: null, to, event: 'found' },
    }),
  ),
  fc.tuple(worker, fc.constantFrom(...exits)).map(
    ([id, exit]): FleetEvent => ({
      type: 'WorkerExited',
      data: { worker: id, exit },
    }),
  ),
  fc.tuple(worker, fc.constantFrom(...stopSteps)).map(
    ([id, step]): FleetEvent => ({
      type: 'StopStepTaken',
      data: { worker: id, step },
    }),
  ),
  fc
    .record({
      type: fc.constantFrom('FuseBlown', 'FuseReset'),
      worker: fc.option(worker),
      fuse: fc.constantFrom('wall time: 30 min', 'total logs: 2048 MB'),
    })
    .map(({ type, ...data }): FleetEvent => ({ type, data })),
  fc.constantFrom('q-1', 'q-2').map((id): FleetEvent => ({ type: 'StartQueued', data: { id, workerType: 't' } })),
  fc.constantFrom('q-1', 'q-2').map((id): FleetEvent => ({ type: 'StartDequeued', data: { id } })),
);

function lineOf({ type, data }: FleetEvent, seq: number): EventLine {
  const timestamp = new Date(Date.UTC(2026, 2, 1) + seq * 60_000).toISOString();
  return { seq, type, timestamp, data: { ...data }, epoch: 1 };
}

function foldOf(lines: readonly EventLine[], from: FleetMoment = emptyMoment()): FleetMoment {
  const fold = new MomentFold(from);
  for (const line of lines) {
    fold.apply(line);
  }
  return fold.moment;
}

describe('a line of the log', () => {
  it('comes back as it was written, in ASCII and on one line', () => {
    const data = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme', maxLength: 900 }), fc.integer()));
    fc.assert(
      fc.property(data, (some) => {
        const line = { seq: 3, type: 'x', timestamp: '2026-03-01T14:30:00.000Z', data: some, epoch: 2 };
        const text = formatEventLine(line);
        expect(text).toMatch(/^[\x20-\x7f]*\n$/);
        expect(readEventLine(text)).toEqual(JSON.parse(JSON.stringify(line)));
      }),
    );
  });

  it('is refused when it is none, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => readEventLine(text)).not.toThrow();
      }),
    );
    for (const text of ['', 'null', '{}', '{"seq":-1,"type":"x","timestamp":"","data":{}}', '[1]', '{"seq":1']) {
      expect(readEventLine(text)).toBeNull();
    }
  });

  it('is taken without an epoch, as other writers of the format leave it', () => {
    expect(readEventLine('{"seq":1,"type":"AgentStarted","timestamp":"t","data":{}}')?.epoch).toBe(0);
  });
});

describe('the fold of the log', () => {
  it('is the same from any snapshot on', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.nat(60), (events, cut) => {
        const lines = events.map((one, index) => lineOf(one, index + 1));
        const snapshot = readMoment(formatMoment(foldOf(lines.slice(0, cut))));
        expect(snapshot).not.toBeNull();
        expect(formatMoment(foldOf(lines.slice(cut), snapshot ?? emptyMoment()))).toBe(formatMoment(foldOf(lines)));
      }),
    );
  });

  it('forgets workers that ended two days ago, never one that is going, and stays small', () => {
    const fold = new MomentFold(emptyMoment());
    for (let seq = 1; seq <= 20_000; seq += 2) {
      const id = `wkr-${String(seq)}`;
      const start = { worker: id, workerType: 't', startedAt: '', by: null, found: false };
      fold.apply(lineOf({ type: 'WorkerStarted', data: start }, seq));
      const to = seq === 1 ? 'running' : 'completed';
      fold.apply(lineOf({ type: 'WorkerStateChanged', data: { worker: id, from: null, to, event: 'x' } }, seq + 1));
    }
    expect(fold.moment.workers.has('wkr-1')).toBe(true);
    expect(fold.moment.workers.size).toBeLessThan(4_000);
  });
});

describe('what is written of events that are met again', () => {
  it('is each exit once, each state when it changes, each step of a stop once', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        const fold = new MomentFold(emptyMoment());
        const written: FleetEvent[] = [];
        // All of it twice, as an adopting leader meets it.
        for (const one of events.flatMap((single) => [single, single])) {
          const news = newsIn(one, fold.moment);
          if (news !== null) {
            written.push(news);
            fold.apply(lineOf(news, written.length));
          }
        }
        for (const [index, one] of written.entries()) {
          expect(newsIn(one, foldOf(written.slice(0, index + 1).map((known, at) => lineOf(known, at + 1))))).toBeNull();
        }
      }),
    );
  });

  it('begins at the state that the log knows, not at that of a leader that only just looked', () => {
    const started: FleetEvent = {
      type: 'WorkerStarted',
      data: { worker: 'wkr-a', workerType: 't', startedAt: '', by: null, found: false },
    };
    const running: FleetEvent = {
      type: 'WorkerStateChanged',
      data: { worker: 'wkr-a', from: null, to: 'running', event: 'spawned' },
    };
    const moment = foldOf([started, running].map((one, index) => lineOf(one, index + 1)));
    const adopted = { worker: 'wkr-a', from: 'unknown', to: 'running', event: 'provenAlive' } as const;
    expect(newsIn({ type: 'WorkerStateChanged', data: adopted }, moment)).toBeNull();
    const failed = newsIn({ type: 'WorkerStateChanged', data: { ...adopted, to: 'failed' } }, moment);
    expect(failed?.data).toMatchObject({ from: 'running', to: 'failed' });
  });

  it('is nothing of a worker whose start the log does not know', () => {
    expect(newsIn({ type: 'WorkerExited', data: { worker: 'wkr-x', exit: anExit() } }, emptyMoment())).toBeNull();
  });
});
