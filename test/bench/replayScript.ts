import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/core/base/clock';
import { EventLog } from '../../src/core/eventlog/eventLog';
import { fleetLogIn } from '../../src/core/eventlog/fleetLog';
import { replayLog } from '../../src/core/eventlog/replayLog';
import type { FleetEvent } from '../../src/core/protocol/events/fleetEvent';

/** So many workers share the events; a day's fleet, not a new worker for every four events. */
const WORKERS = 1_000;
/** So that the log is turned over where it would be. */
const BATCH = 500;

function eventsFrom(first: number): readonly FleetEvent[] {
  return Array.from({ length: BATCH }, (_none, index) => eventAt(first + index));
}

/** Each worker starts once and changes its state ever after. */
function eventAt(number: number): FleetEvent {
  const worker = `wkr-20261130-120000-w${String(number % WORKERS)}`;
  const round = Math.floor(number / WORKERS);
  if (round === 0) {
    const startedAt = '2026-11-30T12:00:00.000Z';
    return { type: 'WorkerStarted', data: { worker, workerType: 'w', startedAt, by: 'cli', found: false } };
  }
  const [from, to] = round % 2 === 0 ? (['stopping', 'running'] as const) : (['running', 'stopping'] as const);
  return { type: 'WorkerStateChanged', data: { worker, from, to, event: 'found' } };
}

async function write(folder: string, count: number): Promise<void> {
  const place = fleetLogIn(folder);
  const roomy = { ...place, format: { ...place.format, batchLines: BATCH } };
  const log = await EventLog.open({
    place: roomy,
    epoch: 1,
    clock: systemClock(),
    verify: async () => Promise.resolve(true),
  });
  for (let written = 0; written < count; written += BATCH) {
    await log.appendAll(eventsFrom(written));
  }
}

async function parse(folder: string): Promise<number> {
  const closed = join(folder, 'events');
  const segments = existsSync(closed) ? readdirSync(closed).filter((name) => name.endsWith('.jsonl')) : [];
  let last = 0;
  for (const file of [...segments.sort().map((name) => join(closed, name)), join(folder, 'events.jsonl')]) {
    for (const line of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
      last = (JSON.parse(line) as { readonly seq: number }).seq;
    }
  }
  return last;
}

const JOBS: Readonly<Record<string, (folder: string, count: number) => Promise<unknown>>> = {
  write,
  parse: async (folder) => parse(folder),
  whole: async (folder) => (await replayLog(fleetLogIn(folder), { bare: true })).fold.moment.seq,
  snapshot: async (folder) => (await replayLog(fleetLogIn(folder))).fold.moment.seq,
};

async function main([job = '', folder = '', count = '0']: readonly string[]): Promise<void> {
  const started = performance.now();
  const result = await JOBS[job]?.(folder, Number(count));
  process.stdout.write(JSON.stringify({ ms: performance.now() - started, result: result ?? null }));
}

void main(process.argv.slice(2));
