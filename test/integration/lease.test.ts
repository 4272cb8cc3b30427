import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/base/clock';
import { type Lease, type LeaseAttempt, openLease } from '../../src/core/registry/lease';
import { formatLeaseRecord, type LeaseRecord } from '../../src/core/registry/leaseRecord';
import { ownFileOwner } from '../../src/core/system/fileOwner';
import { type ScriptProcess, useScript } from '../support/scriptProcess';
import { useTempFolder } from '../support/tempFolder';
import { aKeeper, WORKER_ID } from '../support/workerFacts';

const root = useTempFolder('lease');
const script = useScript('test/support/registryScript.ts');
let workersDir = '';

beforeEach(() => {
  workersDir = join(root.path, '.keysarium', 'workers');
  mkdirSync(workersDir, { recursive: true });
});

async function open(nonce: string): Promise<Lease> {
  const owner = await ownFileOwner();
  return openLease({ workersDir, surface: 'vscode', endpoint: '/nowhere', nonce, owner, clock: systemClock() });
}

/** A process that stands ready to try. */
async function contender(): Promise<ScriptProcess> {
  const process = script({ args: ['lead', workersDir] });
  expect(await process.line()).toBe('"ready"');
  return process;
}

async function attempt(process: ScriptProcess): Promise<LeaseAttempt> {
  process.say('try');
  return JSON.parse(await process.line()) as LeaseAttempt;
}

function leaseFiles(): string[] {
  return readdirSync(workersDir).filter((name) => name.startsWith('leader.'));
}

function putLease(changes: Partial<LeaseRecord>): void {
  const record: LeaseRecord = {
    epoch: 5,
    pid: 1,
    startTime: 'a boot of long ago:1',
    bootId: 'a boot of long ago',
    host: hostname(),
    surface: 'vscode',
    since: '2026-03-01T14:30:22.000Z',
    nonce: '00',
    endpoint: '/nowhere',
    released: null,
    ...changes,
  };
  writeFileSync(join(workersDir, `leader.${record.epoch}.json`), formatLeaseRecord(record));
}

describe('several processes that want to lead', () => {
  it('get exactly one leader among eight that try at the same time, and again when that one is killed', async () => {
    const contenders = await Promise.all(Array.from({ length: 8 }, contender));
    let epochBefore = 0;
    for (let round = 0; round < 4; round += 1) {
      const attempts = await Promise.all(contenders.map(attempt));
      const winners = attempts.flatMap((won) => (won.kind === 'leading' ? [won.epoch] : []));
      expect(winners).toEqual([epochBefore + 1]);
      const winner = contenders[attempts.findIndex(({ kind }) => kind === 'leading')];
      expect(attempts.filter(({ kind }) => kind === 'held')).toHaveLength(contenders.length - 1);
      for (const held of attempts) {
        expect(held.kind === 'held' ? held.holder.pid : winner?.pid).toBe(winner?.pid);
      }
      expect(leaseFiles()).toEqual([`leader.${epochBefore + 1}.json`]);
      await winner?.kill();
      contenders.splice(contenders.indexOf(winner as ScriptProcess), 1);
      epochBefore += 1;
    }
  });

  it('cannot take it from a living owner, not even from a frozen one', async () => {
    const owner = await contender();
    expect((await attempt(owner)).kind).toBe('leading');
    owner.signal('SIGSTOP');
    const other = await open('other');
    for (let tries = 0; tries < 20; tries += 1) {
      expect(await other.tryAcquire()).toMatchObject({ kind: 'held', holder: { pid: owner.pid, liveness: 'alive' } });
    }
    owner.signal('SIGCONT');
    owner.say('verify 1');
    expect(await owner.line()).toBe('true');
  });

  it('hand it over at once when the owner gives it up, with a higher epoch', async () => {
    const owner = await contender();
    expect(await attempt(owner)).toEqual({ kind: 'leading', epoch: 1 });
    owner.say('release');
    expect(await owner.line()).toBe('"released"');
    const next = await open('next');
    expect(await next.read()).toBeNull();
    expect(await next.tryAcquire()).toEqual({ kind: 'leading', epoch: 2 });
    owner.say('verify 1');
    expect(await owner.line()).toBe('false');
    expect(await attempt(owner)).toMatchObject({ kind: 'held', holder: { epoch: 2 } });
  });
});

describe('a lease', () => {
  it('is asked for in vain where no start made the workers folder', async () => {
    workersDir = join(root.path, 'elsewhere');
    expect(await (await open('own')).tryAcquire()).toEqual({ kind: 'no folder' });
    expect(await (await open('own')).read()).toBeNull();
    expect(readdirSync(root.path)).toEqual(['.keysarium']);
  });

  it('says everything that lifecycle §6 lists', async () => {
    await (await open('abcd')).tryAcquire();
    const written = JSON.parse(readFileSync(join(workersDir, 'leader.1.json'), 'utf8')) as LeaseRecord;
    const owner = await ownFileOwner();
    expect(written).toMatchObject({ epoch: 1, ...owner, surface: 'vscode', nonce: 'abcd', endpoint: '/nowhere' });
    expect(written.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('stays with its owner when it asks again', async () => {
    const own = await open('own');
    expect(await own.tryAcquire()).toEqual({ kind: 'leading', epoch: 1 });
    expect(await own.tryAcquire()).toEqual({ kind: 'leading', epoch: 1 });
    expect(await own.verify(1)).toBe(true);
    expect(await own.verify(2)).toBe(false);
  });

  it('is not shared by two hosts of one process', async () => {
    await (await open('first')).tryAcquire();
    expect((await (await open('second')).tryAcquire()).kind).toBe('held');
  });

  it('never uses an epoch again, however often it is given up', async () => {
    const own = await open('own');
    for (let epoch = 1; epoch <= 5; epoch += 1) {
      expect(await own.tryAcquire()).toEqual({ kind: 'leading', epoch });
      await own.release();
    }
    expect(leaseFiles()).toEqual(['leader.5.json']);
  });

  it('of another machine is never taken, though nothing runs under its pid here', async () => {
    putLease({ host: 'another-machine' });
    const own = await open('own');
    expect(await own.tryAcquire()).toMatchObject({ kind: 'held', holder: { liveness: 'unknown', epoch: 5 } });
    expect(leaseFiles()).toEqual(['leader.5.json']);
  });

  it('from before the last boot is taken, though its pid runs again', async () => {
    putLease({ pid: process.pid });
    expect(await (await open('own')).tryAcquire()).toEqual({ kind: 'leading', epoch: 6 });
  });

  it('of a recycled pid is taken', async () => {
    const { bootId } = await ownFileOwner();
    putLease({ bootId, pid: process.pid, startTime: `${bootId}:1` });
    expect(await (await open('own')).tryAcquire()).toEqual({ kind: 'leading', epoch: 6 });
    expect(leaseFiles()).toEqual(['leader.6.json']);
  });

  it('that a newer one passed is lost, also while the older file still lies there', async () => {
    const own = await open('own');
    await own.tryAcquire();
    putLease({ epoch: 2, host: 'another-machine' });
    expect(await own.verify(1)).toBe(false);
    expect(await own.tryAcquire()).toMatchObject({ kind: 'held', holder: { epoch: 2 } });
    await own.release();
    expect(await own.read()).toMatchObject({ epoch: 2 });
  });

  it('that somebody deleted begins again above the epoch that living keepers obey', async () => {
    const folder = join(workersDir, WORKER_ID);
    mkdirSync(folder);
    writeFileSync(join(folder, 'keeper.json'), JSON.stringify(aKeeper({ record: { epoch: 7 } }).record));
    expect(await (await open('own')).tryAcquire()).toEqual({ kind: 'leading', epoch: 8 });
  });

  it('that is damaged lets nobody lead and names the file', async () => {
    writeFileSync(join(workersDir, 'leader.3.json'), '{"epoch": 3');
    const refused = await (await open('own')).tryAcquire();
    expect(refused).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('leader.3.json') as unknown },
    });
  });
});
