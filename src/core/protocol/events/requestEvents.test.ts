import { describe, expect, it } from 'vitest';
import { anAsk, anEngineRecord } from '../../../../test/support/engineParts';
import { aKeeper, anExit, isoAfter, STARTED_AT, someFacts, WORKER_ID } from '../../../../test/support/workerFacts';
import { workerSnapshot } from '../../../../test/support/snapshots';
import type { WorkerSnapshot } from '../snapshot';
import type { WorkerFacts } from '../workerFacts';
import { foundEvents } from './foundEvents';
import type { FleetEvent } from './fleetEvent';
import { emptyMoment, type FleetMoment } from './fleetMoment';
import { newsIn } from './eventNews';
import { MomentFold } from './momentFold';

const engine = anEngineRecord({
  asks: [anAsk({ requestId: 'req-2', tool: 'Write', text: 'Write: notes.md' })],
  answers: [{ requestId: 'req-1', tool: 'Bash', allow: true, text: null, by: 'cli', at: isoAfter(20) }],
});

/** What a leader writes that looks at this worker, and what the log tells then. */
function write(
  before: FleetMoment,
  facts: WorkerFacts,
  changes: Partial<WorkerSnapshot> = {},
): { readonly written: readonly FleetEvent[]; readonly moment: FleetMoment } {
  const worker = workerSnapshot({ workerId: WORKER_ID, startedAt: STARTED_AT, ...changes });
  const seen = { snapshot: { workers: [worker], queue: [], fuses: [] }, facts: new Map([[WORKER_ID, facts]]) };
  const fold = new MomentFold(before);
  const written: FleetEvent[] = [];
  for (const event of foundEvents(seen, before)) {
    const news = newsIn(event, fold.moment);
    if (news !== null) {
      written.push(news);
      const { type, data } = news;
      fold.apply({ seq: written.length, epoch: 1, timestamp: isoAfter(written.length), type, data: { ...data } });
    }
  }
  return { written, moment: fold.moment };
}

describe('the log of events', () => {
  it('tells once what a program asked, and who answered', () => {
    const facts = someFacts({ keeper: aKeeper({ record: { engine } }) });
    const { written, moment } = write(emptyMoment(), facts);
    expect(written.filter(({ type }) => type.startsWith('Request'))).toEqual([
      { type: 'RequestAsked', data: { worker: WORKER_ID, requestId: 'req-2', tool: 'Write', text: 'Write: notes.md' } },
      {
        type: 'RequestAnswered',
        data: { worker: WORKER_ID, requestId: 'req-1', tool: 'Bash', allowed: true, by: 'cli', at: isoAfter(20) },
      },
    ]);
    expect(write(moment, facts).written).toEqual([]);
  });

  it('tells once what a person put off, and again what they put off anew', () => {
    const snooze = { item: `worker:${WORKER_ID}`, until: isoAfter(3_600), by: 'cli' };
    const entryWith = (...snoozed: readonly object[]): WorkerSnapshot['entry'] => ({
      ...workerSnapshot({ workerId: WORKER_ID }).entry,
      extra: { snoozed },
    });
    const snoozes = (written: readonly FleetEvent[]): readonly FleetEvent[] =>
      written.filter(({ type }) => type === 'ItemSnoozed');
    const first = write(emptyMoment(), someFacts(), { entry: entryWith(snooze) });
    expect(snoozes(first.written)).toEqual([{ type: 'ItemSnoozed', data: { worker: WORKER_ID, ...snooze } }]);
    expect(write(first.moment, someFacts(), { entry: entryWith(snooze) }).written).toEqual([]);
    const back = { ...snooze, until: isoAfter(60) };
    expect(snoozes(write(first.moment, someFacts(), { entry: entryWith(back) }).written)).toHaveLength(1);
  });

  it('tells that a worker was parked while nobody led, and nothing again from an older look', () => {
    const exit = anExit({ class: 'rate limited' });
    const running = write(emptyMoment(), someFacts()).moment;
    const parked = write(running, someFacts({ keeper: aKeeper({ exit }) }), { state: 'parked', exit });
    expect(parked.written.map(({ type }) => type)).toEqual(['WorkerExited', 'WorkerStateChanged']);
    const woken = new MomentFold(parked.moment);
    const data = { worker: WORKER_ID, from: 'parked', to: 'running', event: 'spawned' };
    woken.apply({ seq: 9, epoch: 1, timestamp: isoAfter(60), type: 'WorkerStateChanged', data });
    const late = write(woken.moment, someFacts({ keeper: aKeeper({ exit }) }), { state: 'parked', exit });
    expect(late.written).toEqual([]);
  });
});
