import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anEntry, WORKER_ID } from '../../../test/support/workerFacts';
import { useTempFolder } from '../../../test/support/tempFolder';
import { systemClock } from '../base/clock';
import type { WorkerFacts } from '../protocol/workerFacts';
import { FactsMemory } from './factsMemory';

const root = useTempFolder('facts');
const entry = anEntry();
const rows = [{ kind: 'entry', entry }] as const;
const LONG_AGO = new Date(Date.now() - 3_600_000);
const quietly = { kind: 'active', folders: new Set<string>(), watched: false } as const;

function folder(): string {
  return join(root.path, '.keysarium', 'workers', WORKER_ID);
}

function open(): FactsMemory {
  return new FactsMemory({
    root: root.path,
    workersDir: join(root.path, '.keysarium', 'workers'),
    clock: systemClock({ unref: true }),
  });
}

/** A status.json that says this, last changed then; so is its folder. */
function put(status: string, changed: Date | null = LONG_AGO): void {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), 'status.json'), JSON.stringify({ status }));
  if (changed !== null) {
    utimesSync(join(folder(), 'status.json'), changed, changed);
    utimesSync(folder(), changed, changed);
  }
}

async function factsIn(memory: FactsMemory, scope: Parameters<FactsMemory['gather']>[1]): Promise<WorkerFacts> {
  const facts = (await memory.gather(rows, scope)).get(WORKER_ID);
  if (facts === undefined) {
    throw new Error('the worker is missing');
  }
  return facts;
}

function wordOf({ status }: WorkerFacts): string {
  return status.kind === 'ok' ? status.document.status : status.kind;
}

describe('facts that were read before', () => {
  it('are the very same object while nothing changes, so that nobody derives them again', async () => {
    put('running');
    const memory = open();
    const first = await factsIn(memory, { kind: 'all' });
    expect(await factsIn(memory, quietly)).toBe(first);
    expect(await memory.factsOf(entry)).toBe(first);
    expect(await factsIn(memory, { kind: 'all' })).not.toBe(first);
  });

  it('are not believed when a status.json was overwritten in place, or replaced', async () => {
    put('running');
    const memory = open();
    await factsIn(memory, { kind: 'all' });
    writeFileSync(join(folder(), 'status.json'), '{"status":"completing"}');
    expect(wordOf(await factsIn(memory, quietly))).toBe('completing');
    writeFileSync(join(folder(), 'next'), '{"status":"failed"}');
    renameSync(join(folder(), 'next'), join(folder(), 'status.json'));
    expect(wordOf(await memory.factsOf(entry))).toBe('failed');
  });

  it('are read again while files are so new that a change may leave no trace', async () => {
    put('running', null);
    const memory = open();
    await factsIn(memory, { kind: 'all' });
    const mtime = new Date();
    put('stopped', mtime);
    await factsIn(memory, quietly);
    // As long, at the same instant of a coarse clock.
    put('running', mtime);
    expect(wordOf(await factsIn(memory, { ...quietly, watched: true }))).toBe('running');
  });

  it('are read again where a watcher saw a change, also when nothing else tells', async () => {
    put('running');
    const memory = open();
    const first = await factsIn(memory, { kind: 'all' });
    const watched = { kind: 'active', folders: new Set([folder()]), watched: true } as const;
    expect(await factsIn(memory, { ...watched, folders: new Set() })).toBe(first);
    expect(await factsIn(memory, watched)).not.toBe(first);
  });

  it('count as seen since an instant only when they were looked at after it', async () => {
    put('running');
    const memory = open();
    const first = await factsIn(memory, { kind: 'all' });
    put('completed');
    expect(await factsIn(memory, { kind: 'since', at: 0 })).toBe(first);
    expect(wordOf(await factsIn(memory, { kind: 'since', at: Number.POSITIVE_INFINITY }))).toBe('completed');
  });
});
