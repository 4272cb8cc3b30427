import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { anExit } from '../../../test/support/workerFacts';
import { systemClock } from '../base/clock';
import type { EventLine } from '../protocol/events/eventLine';
import type { FleetEvent } from '../protocol/events/fleetEvent';
import type { FleetMoment } from '../protocol/events/fleetMoment';
import { EventLog, type EventLogOptions, LeaseLost } from './eventLog';
import { momentAt, readEvents, replayLog } from './replayLog';
import { fleetLogIn } from './fleetLog';
import type { LogPlace } from './logFormat';

const SMALL_SEGMENT = 1_000;

type FleetLog = EventLog<FleetEvent, FleetMoment>;
type LogOptions = Partial<EventLogOptions<FleetMoment>> & { readonly segmentBytes?: number };

async function openLog(workersDir: string, { segmentBytes, ...options }: LogOptions = {}): Promise<FleetLog> {
  const verify = async (): Promise<boolean> => Promise.resolve(true);
  const place = placeIn(workersDir, segmentBytes);
  return await EventLog.open({ place, epoch: 1, clock: systemClock(), verify, ...options });
}

function placeIn(workersDir: string, segmentBytes?: number): LogPlace<FleetMoment> {
  const place = fleetLogIn(workersDir);
  return segmentBytes === undefined ? place : { ...place, format: { ...place.format, segmentBytes } };
}

/** The life of one worker after the other, in as many events as are wanted. */
function lives(count: number): readonly FleetEvent[] {
  const events = Array.from({ length: Math.ceil(count / 4) }, (_none, index): readonly FleetEvent[] => {
    const worker = `wkr-20260301-1430${String(index % 60).padStart(2, '0')}-w${String(index)}`;
    const startedAt = '2026-03-01T14:30:22.000Z';
    return [
      { type: 'WorkerStarted', data: { worker, workerType: 'w', startedAt, by: 'cli', found: false } },
      { type: 'WorkerStateChanged', data: { worker, from: null, to: 'running', event: 'spawned' } },
      { type: 'WorkerExited', data: { worker, exit: anExit() } },
      { type: 'WorkerStateChanged', data: { worker, from: 'running', to: 'completed', event: 'exited' } },
    ];
  });
  return events.flat().slice(0, count);
}

async function write(log: FleetLog, count: number): Promise<void> {
  for (const event of lives(count)) {
    await log.append(event);
  }
}

async function eventsIn(workersDir: string, after = 0): Promise<readonly EventLine[]> {
  const events: EventLine[] = [];
  await readEvents(fleetLogIn(workersDir), after, (event) => events.push(event));
  return events;
}

function numbers(events: readonly EventLine[]): readonly number[] {
  return events.map(({ seq }) => seq);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_none, index) => index + 1);
}

const plain = (moment: FleetMoment): object => ({ ...moment, workers: [...moment.workers], queue: [...moment.queue] });

describe('the event log', () => {
  it('makes nothing before its first line', async () => {
    const folder = await tempProject();
    const log = await openLog(folder);
    expect(log.moment.seq).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('numbers its lines without gaps over many openings and segments, each line plain ASCII with its epoch', async () => {
    const folder = await tempProject();
    for (let epoch = 1; epoch <= 5; epoch += 1) {
      const log = await openLog(folder, { epoch, segmentBytes: SMALL_SEGMENT });
      await log.append({ type: 'LeaderChanged', data: { pid: epoch, surface: 'Ünï 🚦' } });
      await write(log, 19);
    }
    const events = await eventsIn(folder);
    expect(numbers(events)).toEqual(upTo(100));
    expect(events.at(-1)?.epoch).toBe(5);
    expect(events[0]?.data['surface']).toBe('Ünï 🚦');
    expect(readdirSync(join(folder, 'events')).length).toBeGreaterThan(10);
    expect(readFileSync(join(folder, 'events', '000000000001.jsonl'), 'latin1')).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it('cuts a torn last line off, tells how long it was, and goes on with the next number', async () => {
    const folder = await tempProject();
    await write(await openLog(folder), 3);
    appendFileSync(join(folder, 'events.jsonl'), '{"seq":4,"type":"Wor');
    expect(numbers(await eventsIn(folder))).toEqual([1, 2, 3]);
    const log = await openLog(folder);
    expect(log.faults.cutBytes).toBe(20);
    await write(log, 1);
    expect(numbers(await eventsIn(folder))).toEqual([1, 2, 3, 4]);
  });

  it('writes nothing once the lease is lost', async () => {
    const folder = await tempProject();
    let leads = true;
    const log = await openLog(folder, { verify: async () => Promise.resolve(leads) });
    await write(log, 2);
    leads = false;
    await expect(log.append(lives(1)[0] as FleetEvent)).rejects.toThrow(LeaseLost);
    expect(numbers(await eventsIn(folder))).toEqual([1, 2]);
  });

  it('is still read by everybody where the epochs began anew because somebody deleted the lease files', async () => {
    const folder = await tempProject();
    await write(await openLog(folder, { epoch: 7 }), 2);
    await write(await openLog(folder, { epoch: 1 }), 2);
    expect(numbers(await eventsIn(folder))).toEqual([1, 2, 3, 4]);
  });

  it('never starts again at 1, also when the segments are gone and only a snapshot is left', async () => {
    const folder = await tempProject();
    const log = await openLog(folder, { segmentBytes: SMALL_SEGMENT });
    await write(log, 40);
    rmSync(join(folder, 'events.jsonl'), { force: true });
    for (const name of readdirSync(join(folder, 'events')).filter((one) => one.endsWith('.jsonl'))) {
      rmSync(join(folder, 'events', name));
    }
    const again = await openLog(folder);
    expect(again.moment.seq).toBeGreaterThan(30);
  });

  it('tells the same from its newest snapshot as from its first line', async () => {
    const folder = await tempProject();
    await write(await openLog(folder, { segmentBytes: SMALL_SEGMENT }), 120);
    const files = fleetLogIn(folder);
    const short = (await replayLog(files)).fold.moment;
    const whole = (await replayLog(files, { bare: true })).fold.moment;
    expect(plain(short)).toEqual(plain(whole));
    expect(whole.workers.size).toBe(30);
  });

  it('takes no more room for its snapshots than for its lines, however many workers they tell of', async () => {
    const folder = await tempProject();
    await write(await openLog(folder, { segmentBytes: 1 }), 400);
    const { closedDir } = fleetLogIn(folder);
    const bytesOf = (end: string): number =>
      readdirSync(closedDir)
        .filter((name) => name.endsWith(end))
        .reduce((sum, name) => sum + readFileSync(join(closedDir, name)).length, 0);
    const newest = readFileSync(join(closedDir, readdirSync(closedDir).sort().at(-1) ?? '')).length;
    expect(bytesOf('.state.json') - newest).toBeLessThanOrEqual(bytesOf('.jsonl'));
  });

  it('keeps only the newest segments where it is told to, and tells the same fleet without a gap', async () => {
    const whole = await tempProject();
    const short = await tempProject();
    const place = placeIn(short, SMALL_SEGMENT);
    const bounded = { ...place, format: { ...place.format, keptSegments: 3 } };
    await write(await openLog(whole, { segmentBytes: SMALL_SEGMENT }), 120);
    await write(await openLog(short, { place: bounded }), 120);
    const files = readdirSync(place.closedDir).sort();
    expect(files.filter((name) => name.endsWith('.jsonl'))).toHaveLength(3);
    const all = numbers(await eventsIn(whole));
    const kept = numbers(await eventsIn(short));
    expect(kept).toEqual(all.slice(-kept.length));
    expect(kept.length).toBeLessThan(all.length);
    for (const bare of [false, true]) {
      const { fold, faults } = await replayLog(bounded, { bare });
      expect(faults).toEqual({ dropped: 0, damaged: 0, missing: 0 });
      expect([...fold.moment.workers.keys()]).toEqual([
        ...(await replayLog(placeIn(whole))).fold.moment.workers.keys(),
      ]);
    }
    rmSync(join(place.closedDir, files.filter((name) => name.endsWith('.jsonl'))[1] ?? ''));
    expect((await readEvents(place, 0, () => undefined)).missing).toBeGreaterThan(0);
  });

  it('goes back to an older snapshot when the newest is damaged', async () => {
    const folder = await tempProject();
    await write(await openLog(folder, { segmentBytes: SMALL_SEGMENT }), 80);
    const before = (await replayLog(fleetLogIn(folder))).fold.moment;
    const states = readdirSync(join(folder, 'events')).filter((name) => name.endsWith('.state.json'));
    writeFileSync(join(folder, 'events', states.sort().at(-1) ?? ''), '{"v":1,"seq":');
    expect(plain((await replayLog(fleetLogIn(folder))).fold.moment)).toEqual(plain(before));
  });

  it('tells the fleet of any past moment, whichever segment that lies in', async () => {
    const folder = await tempProject();
    let now = 1_000_000;
    const clock = { ...systemClock(), now: () => (now += 1_000) };
    await write(await openLog(folder, { segmentBytes: SMALL_SEGMENT, clock }), 60);
    const files = fleetLogIn(folder);
    for (const seq of [0, 1, 2, 7, 13, 31, 59, 60]) {
      const moment = await momentAt(files, 1_000_000 + seq * 1_000 + 500);
      expect(moment.seq).toBe(seq);
      expect(moment.workers.size).toBe(Math.ceil(seq / 4));
    }
    const early = await momentAt(files, 1_000_000 + 2_500);
    expect([...early.workers.values()][0]?.state).toBe('running');
  });

  it('reads on where a segment was turned over that somebody has already read', async () => {
    const folder = await tempProject();
    const log = await openLog(folder, { segmentBytes: SMALL_SEGMENT });
    await write(log, 20);
    expect(numbers(await eventsIn(folder, 14))).toEqual([15, 16, 17, 18, 19, 20]);
  });

  it('does not write over a closed segment that somebody put back', async () => {
    const folder = await tempProject();
    mkdirSync(join(folder, 'events'));
    writeFileSync(join(folder, 'events', '000000000001.jsonl'), 'mine\n');
    await write(await openLog(folder, { segmentBytes: SMALL_SEGMENT }), 20);
    expect(readFileSync(join(folder, 'events', '000000000001.jsonl'), 'utf8')).toBe('mine\n');
    expect(numbers(await eventsIn(folder))).toEqual(upTo(20));
  });

  it('whatever is cut from or put into its file: what is written next comes last, in unbroken order', async () => {
    const whole = await tempProject();
    await write(await openLog(whole), 12);
    const text = readFileSync(join(whole, 'events.jsonl'));
    const splice = fc.record({
      at: fc.nat(text.length),
      remove: fc.nat(400),
      insert: fc.oneof(fc.constant(''), fc.string({ maxLength: 40 }), fc.constant('\n'), fc.constant('{"seq":3}\n')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(splice, { minLength: 1, maxLength: 4 }), async (splices) => {
        const folder = await tempProject();
        let bytes = text;
        for (const { at, remove, insert } of splices) {
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(insert), bytes.subarray(at + remove)]);
        }
        writeFileSync(join(folder, 'events.jsonl'), bytes);
        const log = await openLog(folder, { epoch: 2 });
        const before = log.moment.seq;
        await write(log, 5);
        const events = numbers(await eventsIn(folder));
        expect(events.slice(-5)).toEqual(upTo(5).map((number) => before + number));
        expect([...events].sort((a, b) => a - b)).toEqual(events);
        expect(new Set(events).size).toBe(events.length);
        expect(existsSync(join(folder, 'events'))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
