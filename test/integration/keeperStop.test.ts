import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExitRecord } from '../../src/core/protocol/keeper/exitRecord';
import type { StopReceipt } from '../../src/core/protocol/keeper/stopReceipt';
import { machineProbe } from '../../src/core/system/machineProbe';
import { identityOf, livenessOf, workerProcessOf } from '../../src/core/system/processIdentity';
import { killIdentity } from '../support/keptWorker';
import { eventually, fixtureWorker, useKeepers, type KeeperRig } from '../support/keeperRig';

const rig = useKeepers();

/** The process whose pid a worker printed behind `word`. */
async function printedProcess(from: KeeperRig, word: string) {
  return await eventually(async () => {
    const pid = new RegExp(`${word} (\\d+)`).exec(await from.read('worker.log'))?.[1];
    const identity = await identityOf(Number(pid));
    if (identity === null) {
      throw new Error(`no process was printed behind ${word}`);
    }
    return identity;
  });
}

async function parentOf(pid: number): Promise<number> {
  const look = await machineProbe.look(pid);
  return look.kind === 'running' ? look.row.ppid : 0;
}

const stepsOf = (receipt: StopReceipt | null): readonly string[] => receipt?.steps.map(({ step }) => step) ?? [];

describe('a stop', () => {
  it('asks first, and a worker that obeys ends by itself with its own word', async () => {
    const keeper = await rig.worker('polite.mjs', [rig.folder]);
    await rig.logHolds('working');
    const client = await rig.connect();
    const exits: ExitRecord[] = [];
    client.onEvent(({ event, params }) => {
      if (event === 'exit') {
        exits.push(params as ExitRecord);
      }
    });
    const receipt = (await client.request('stop', { requestedBy: 'cli', force: false })) as StopReceipt;
    expect(receipt).toMatchObject({ requestedBy: 'cli', finished: false, steps: [{ step: 'asked', alive: 1 }] });
    await keeper.ended;
    const record = await rig.mustRecord();
    expect(stepsOf(record.stop)).toEqual(['asked', 'verified']);
    expect(record.stop?.finished).toBe(true);
    const exit = record.attempts[0]?.exit;
    expect(exit).toMatchObject({ code: 0, class: 'asked to stop', requestedBy: 'cli', forced: false });
    expect(exits).toEqual([exit]);
    expect(await rig.status()).toEqual({ status: 'stopped', note: 'my own word' });
    expect(await rig.read('stop-requested')).toBe('');
  });

  it('climbs to SIGKILL over a grandchild that ignores TERM behind a shell', async () => {
    const script = `'${process.execPath}' '${fixtureWorker('stubborn.mjs')}' & wait`;
    const keeper = await rig.shell(script, { graceMs: 100, termGraceMs: 300 });
    const grandchild = await printedProcess(rig, 'stubborn');
    await (await rig.connect()).request('stop', { requestedBy: 'vscode', force: false });
    await keeper.ended;
    expect(await livenessOf(grandchild)).toBe('dead');
    const { stop, attempts } = await rig.mustRecord();
    expect(stepsOf(stop)).toEqual(['asked', 'terminate', 'kill', 'verified']);
    expect(stop?.steps.map(({ alive }) => alive)).toEqual([2, 2, 1, 0]);
    expect(attempts[0]?.exit).toMatchObject({ class: 'asked to stop', requestedBy: 'vscode', forced: true });
    expect(await rig.status()).toMatchObject({ status: 'stopped', error: null });
  });

  it('takes the next step at once when it is repeated, and keeps who asked first', async () => {
    const keeper = await rig.worker('stubborn.mjs', []);
    await rig.logHolds('stubborn');
    const client = await rig.connect();
    for (const requestedBy of ['cli', 'vscode', 'cli']) {
      await client.request('stop', { requestedBy, force: false });
    }
    await keeper.ended;
    const { stop } = await rig.mustRecord();
    expect(stepsOf(stop)).toEqual(['asked', 'terminate', 'kill', 'verified']);
    expect(stop?.requestedBy).toBe('cli');
  });

  it('starts with SIGTERM when it is forced', async () => {
    const keeper = await rig.shell('sleep 600');
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: true });
    await keeper.ended;
    const { stop, attempts } = await rig.mustRecord();
    expect(stepsOf(stop)).toEqual(['terminate', 'verified']);
    expect(attempts[0]?.exit).toMatchObject({ signal: 'SIGTERM', class: 'asked to stop', forced: true });
  });

  it('reaches children that went into a session of their own, also when their parent is gone', async () => {
    const keeper = await rig.worker('parent.mjs', ['yes', fixtureWorker('stubborn.mjs')], { termGraceMs: 200 });
    const escaped = await printedProcess(rig, 'stubborn');
    await keeper.ended;
    expect(await livenessOf(escaped)).toBe('dead');
  });

  it.runIf(process.platform === 'linux')(
    'reaches a daemon that left its group, its environment and its parent, once it was seen as a child',
    async () => {
      const daemon = `env -i setsid '${process.execPath}' '${fixtureWorker('stubborn.mjs')}'`;
      const ticks = `i=0; while ! [ -e '${rig.folder}/leave' ]; do i=$((i+1)); echo "tick $i"; sleep 0.02; done`;
      const keeper = await rig.shell(`(${daemon} & ${ticks}) & sleep 600`, { termGraceMs: 100 });
      const escaped = await printedProcess(rig, 'stubborn');
      onTestFinished(async () => killIdentity(escaped));
      const parent = await parentOf(escaped.pid);
      // A second of output was read since the daemon spoke, so its keeper has looked at the tree since.
      const tick = Number(/tick (\d+)\n$/.exec(await rig.read('worker.log'))?.[1] ?? 0);
      await rig.logHolds(`tick ${tick + 50}\n`);
      await writeFile(join(rig.folder, 'leave'), '');
      await eventually(async () => {
        expect(await parentOf(escaped.pid)).not.toBe(parent);
      });
      await (await rig.connect()).request('stop', { requestedBy: 'cli', force: true });
      await keeper.ended;
      expect(await livenessOf(escaped)).toBe('dead');
      const { stop } = await rig.mustRecord();
      expect(stop?.steps.map(({ step, alive }) => [step, alive])).toEqual([
        ['terminate', 3],
        ['kill', 1],
        ['verified', 0],
      ]);
    },
  );

  it('never reaches a stranger who got the number of a worker that is dead', async () => {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const stranger = await workerProcessOf(child.pid ?? 0);
    const recycled = { pid: child.pid ?? 0, pgid: child.pid ?? 0, startTime: 'another-boot:1' };
    const keeper = await rig.start(rig.spec({ adopt: recycled }));
    await keeper.ended;
    expect(await livenessOf(stranger ?? recycled)).toBe('alive');
    expect((await rig.mustRecord()).attempts[0]?.exit).toMatchObject({ class: 'unknown exit' });
  });

  it('goes on in the next keeper when the first one dies in the middle of it', async () => {
    const first = await rig.worker('stubborn.mjs', [], { graceMs: 60_000 });
    await rig.logHolds('stubborn');
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: false });
    await first.kill();
    const second = await rig.start(rig.spec({ adopt: await rig.mustProcess(), graceMs: 50, termGraceMs: 50 }));
    await second.ended;
    const { stop, attempts } = await rig.mustRecord();
    expect(stepsOf(stop)).toEqual(['asked', 'terminate', 'kill', 'verified']);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]?.exit).toMatchObject({ class: 'asked to stop', requestedBy: 'cli', forced: true });
  });
});

describe('a stop flag that somebody else raised', () => {
  const raiseFlag = async (): Promise<void> => writeFile(join(rig.folder, 'stop-requested'), '');
  const flagIsHeeded = async (): Promise<void> =>
    eventually(async () => {
      expect((await rig.mustRecord()).stop).toMatchObject({ requestedBy: 'stop flag', steps: [{ step: 'asked' }] });
    });

  it('starts the whole ladder, politely first', async () => {
    const keeper = await rig.worker('stubborn.mjs', [], { graceMs: 50, termGraceMs: 50 });
    await rig.logHolds('stubborn');
    await raiseFlag();
    await keeper.ended;
    const { stop, attempts } = await rig.mustRecord();
    expect(stop?.requestedBy).toBe('stop flag');
    expect(stepsOf(stop)).toEqual(['asked', 'terminate', 'kill', 'verified']);
    expect(attempts[0]?.exit).toMatchObject({ class: 'asked to stop', requestedBy: 'stop flag', forced: true });
  });

  it('is heeded by a keeper that was frozen meanwhile', async () => {
    const keeper = await rig.worker('stubborn.mjs', [], { graceMs: 50, termGraceMs: 50 });
    await rig.logHolds('stubborn');
    process.kill(keeper.pid, 'SIGSTOP');
    await raiseFlag();
    process.kill(keeper.pid, 'SIGCONT');
    await keeper.ended;
    expect(stepsOf((await rig.mustRecord()).stop)).toEqual(['asked', 'terminate', 'kill', 'verified']);
  });

  it('and a polite request behind it are one stop, which gets a name; the next request presses on', async () => {
    const keeper = await rig.worker('stubborn.mjs', [], { termGraceMs: 50 });
    await rig.logHolds('stubborn');
    await raiseFlag();
    await flagIsHeeded();
    const client = await rig.connect();
    const named = await client.request('stop', { requestedBy: 'cli', force: false });
    expect(named).toMatchObject({ requestedBy: 'cli', steps: [{ step: 'asked' }] });
    expect(await client.request('beat', null)).toMatchObject({ stop: named });
    await client.request('stop', { requestedBy: 'vscode', force: false });
    await keeper.ended;
    const { stop } = await rig.mustRecord();
    expect(stop?.requestedBy).toBe('cli');
    expect(stepsOf(stop)).toEqual(['asked', 'terminate', 'kill', 'verified']);
  });

  it('and force behind it go on with SIGTERM at once', async () => {
    const keeper = await rig.shell('sleep 600');
    await raiseFlag();
    await flagIsHeeded();
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: true });
    await keeper.ended;
    expect(stepsOf((await rig.mustRecord()).stop)).toEqual(['asked', 'terminate', 'verified']);
  });
});

describe('what outlives the main process', () => {
  it('is waited for, its output is kept, and the exit code is that of the main process', async () => {
    const script = `'${process.execPath}' '${fixtureWorker('counter.mjs')}' 20 10 & exit 7`;
    const keeper = await rig.shell(script);
    await keeper.ended;
    expect(await rig.read('worker.log')).toContain('line 000020');
    expect(await rig.read('worker.log')).not.toContain('[rollcall]');
    expect((await rig.mustRecord()).attempts[0]?.exit).toMatchObject({ code: 7, class: 'crash' });
  });

  it('is ended after two seconds, and the log says so', async () => {
    const keeper = await rig.worker('parent.mjs', ['no', fixtureWorker('stubborn.mjs')], { termGraceMs: 200 });
    const grandchild = await printedProcess(rig, 'stubborn');
    await keeper.ended;
    expect(await livenessOf(grandchild)).toBe('dead');
    expect(await rig.read('worker.log')).toMatch(
      /\[rollcall\] Processes that outlived the worker are being ended: 1\.\nignored SIGTERM/,
    );
    const { stop, attempts } = await rig.mustRecord();
    expect(stop).toBeNull();
    expect(attempts[0]?.exit).toMatchObject({ code: 0, class: 'done', forced: false });
  });
});

describe("the keeper's pipe", () => {
  it('refuses a caller without the secret, and one with a lower epoch than it has obeyed', async () => {
    await rig.worker('stubborn.mjs', [], { epoch: 5 });
    await expect(rig.connect(4)).rejects.toMatchObject({ code: 'stale-epoch' });
    const record = await rig.mustRecord();
    await writeFile(
      join(rig.folder, 'keeper.json'),
      JSON.stringify({ ...record, nonce: randomBytes(16).toString('hex') }),
    );
    await expect(rig.connect(5)).rejects.toMatchObject({ code: 'bad-hello' });
  });

  it('fences a leader whose connection is still open when the next leader comes', async () => {
    await rig.worker('stubborn.mjs', [], { epoch: 5 });
    const old = await rig.connect(5);
    await old.request('beat', null);
    await (await rig.connect(6)).request('beat', null);
    await expect(old.request('stop', { requestedBy: 'old', force: true })).rejects.toMatchObject({
      code: 'stale-epoch',
    });
    await eventually(async () => {
      expect((await rig.mustRecord()).epoch).toBe(6);
    });
    expect((await rig.mustRecord()).stop).toBeNull();
  });

  it('is the only one of its worker: a second keeper gives up and touches nothing', async () => {
    await rig.worker('stubborn.mjs', []);
    const before = await rig.read('keeper.json');
    const second = await rig.start(rig.spec({ adopt: await rig.mustProcess(), epoch: 9 }));
    expect(second.ready).toMatchObject({ ready: false, message: expect.stringContaining('Another keeper') });
    expect(await second.ended).toBe(1);
    expect(await rig.read('keeper.json')).toBe(before);
  });

  it('lets those that only look see a beat, and not stop', async () => {
    await rig.worker('stubborn.mjs', [], { epoch: 5 });
    const looker = await rig.connect(0);
    expect(await looker.request('beat', null)).toMatchObject({ process: await rig.mustProcess() });
    await expect(looker.request('stop', { requestedBy: 'x', force: true })).rejects.toMatchObject({
      code: 'not-leader',
    });
    await expect(looker.request('stop', null)).rejects.toMatchObject({ code: 'not-leader' });
    await expect(looker.request('constructor', null)).rejects.toMatchObject({ code: 'unknown-method' });
  });
});
