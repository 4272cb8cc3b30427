import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { livenessOf } from '../../src/core/system/processIdentity';
import { eventually, untilGone, useKeepers } from '../support/keeperRig';

const rig = useKeepers();

function numbersIn(log: string): readonly number[] {
  return [...log.matchAll(/^line (\d{6}) ünïcödé$/gm)].map(([, number]) => Number(number));
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

async function linesInLog(atLeast: number): Promise<void> {
  await eventually(async () => {
    expect(numbersIn(await rig.read('worker.log')).length).toBeGreaterThanOrEqual(atLeast);
  });
}

describe('the readable log', () => {
  it('loses and doubles no line over three killed keepers, and says that the exit code is unknown', async () => {
    let keeper = await rig.worker('counter.mjs', ['1500', '2']);
    const worker = await rig.mustProcess();
    for (const lines of [100, 400, 700]) {
      await linesInLog(lines);
      await keeper.kill();
      keeper = await rig.start(rig.spec({ adopt: worker, epoch: 2 }));
      expect(keeper.ready).toMatchObject({ ready: true, process: worker });
    }
    await keeper.ended;
    const log = await rig.read('worker.log');
    expect(numbersIn(log)).toEqual(upTo(1500));
    expect(log).toContain('[rollcall] A new keeper took over');
    const { attempts, process } = await rig.mustRecord();
    expect(process).toEqual(worker);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]?.exit).toMatchObject({ code: null, signal: null, class: 'unknown exit' });
    expect(await rig.status()).toMatchObject({ status: 'running' });
  });

  it('has every line when the worker ends while it has no keeper', async () => {
    const first = await rig.worker('counter.mjs', ['300', '2']);
    const worker = await rig.mustProcess();
    await linesInLog(20);
    await first.kill();
    await untilGone(worker);
    const second = await rig.start(rig.spec({ adopt: worker }));
    await second.ended;
    expect(numbersIn(await rig.read('worker.log'))).toEqual(upTo(300));
  });

  it('stays complete over turned-over logs, an emptied output file and a killed keeper', async () => {
    const limits = { rawBytes: 8000, logBytes: 5000, logFiles: 50 };
    const first = await rig.worker('counter.mjs', ['2000', '200', '100'], { limits });
    const worker = await rig.mustProcess();
    await eventually(async () => {
      expect(await readdir(rig.folder)).toContain('worker.log.3');
    });
    await first.kill();
    const second = await rig.start(rig.spec({ adopt: worker, limits }));
    await second.ended;
    expect(statSync(join(rig.folder, 'output.raw')).size).toBeLessThan(24_000);
    const files = (await readdir(rig.folder)).filter((name) => name.startsWith('worker.log'));
    const oldestFirst = files.sort((a, b) => Number(b.slice(11)) - Number(a.slice(11)));
    const all = oldestFirst.map((name) => readFileSync(join(rig.folder, name), 'utf8')).join('');
    const numbers = numbersIn(all);
    expect(numbers).toEqual(upTo(2000));
    expect((await rig.mustRecord()).output.droppedBytes).toBe(0);
  });

  it('shows no terminal sequences, control characters or secrets', async () => {
    const secret = 'hunter2-hunter2';
    const script = `printf '\\033[31mred\\033[0m \\033]0;title\\007bell\\007\\r\\nkey=%s\\nname \\377\\n' ${secret}; echo "$MY_TOKEN"`;
    const spec = rig.spec({ secrets: [secret] }, { command: 'sh', args: ['-c', script, '--token', 'abcdefgh'] });
    const env = { ...spec.command.env, MY_TOKEN: 'from-the-environment' };
    const keeper = await rig.start({ ...spec, command: { ...spec.command, env } });
    await keeper.ended;
    expect(await rig.read('worker.log')).toBe('red bell\nkey=***\nname \ufffd\n***\n');
    const record = await rig.read('keeper.json');
    expect(record).not.toMatch(/hunter2|abcdefgh|from-the-environment/);
    expect(JSON.parse(record)).toMatchObject({
      command: ['sh', '-c', expect.stringContaining('***'), '--token', '***'],
    });
  });

  it('hides the secrets of the environment also after a new keeper took over', async () => {
    const flag = join(rig.root, 'go');
    const script = `echo "before $MY_TOKEN"; while [ ! -e '${flag}' ]; do sleep 0.05; done; echo "after $MY_TOKEN"`;
    const spec = rig.spec({}, { command: 'sh', args: ['-c', script] });
    const env = { ...spec.command.env, MY_TOKEN: 'from-the-environment' };
    const first = await rig.start({ ...spec, command: { ...spec.command, env } });
    await rig.logHolds('before ***\n');
    await first.kill();
    const second = await rig.start(rig.spec({ adopt: await rig.mustProcess() }, { env: {} }));
    await mkdir(flag);
    await second.ended;
    expect(await rig.read('worker.log')).toMatch(/^before \*\*\*\n\[rollcall\][^\n]*\nafter \*\*\*\n$/);
  });

  it.each([
    ['200', 'lines'],
    ['500', 'one-line'],
  ])('bounds a flood of %s MB in %s on disk and in memory, and counts what it dropped', async (megabytes, shape) => {
    const limits = { rawBytes: 5_000_000, logBytes: 2_000_000, logFiles: 2 };
    const keeper = await rig.worker('flood.mjs', [megabytes, shape], { limits });
    let peak = 0;
    let ended = false;
    void keeper.ended.finally(() => {
      ended = true;
    });
    await eventually(async () => {
      peak = Math.max(peak, residentMegabytes(keeper.pid));
      await Promise.resolve();
      expect(ended).toBe(true);
    });
    expect(peak).toBeLessThan(120);
    expect(statSync(join(rig.folder, 'output.raw')).size).toBeLessThan(40_000_000);
    const files = (await readdir(rig.folder)).filter((name) => name.startsWith('worker.log'));
    expect(files.sort()).toEqual(['worker.log', 'worker.log.1']);
    files.forEach((name) => {
      expect(statSync(join(rig.folder, name)).size).toBeLessThan(2_100_000);
    });
    const { output, attempts } = await rig.mustRecord();
    expect(attempts[0]?.exit?.class).toBe('done');
    const log = files.map((name) => readFileSync(join(rig.folder, name), 'utf8')).join('');
    const said = log.includes(`[rollcall] ${output.droppedBytes} bytes of output were dropped in all.\n`);
    // A machine that reads faster than it writes drops nothing.
    expect(said).toBe(output.droppedBytes > 0);
  });
});

describe('a worker that reads its own log', () => {
  it('feeds it with itself, and stays within its bounds', async () => {
    const limits = { rawBytes: 400_000, logBytes: 200_000, logFiles: 2 };
    const log = join(rig.folder, 'worker.log');
    const script = `for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo "round $round of many"; cat '${log}' '${log}' '${log}'; sleep 0.06; done`;
    const keeper = await rig.start(rig.spec({ limits }, { command: 'sh', args: ['-c', script] }));
    await keeper.ended;
    expect((await rig.mustRecord()).attempts[0]?.exit?.class).toBe('done');
    const files = (await readdir(rig.folder)).filter((name) => name.startsWith('worker.log'));
    expect(files.sort()).toEqual(['worker.log', 'worker.log.1']);
    files.forEach((name) => {
      expect(statSync(join(rig.folder, name)).size).toBeLessThan(300_000);
    });
  });
});

describe('a keeper in trouble', () => {
  it('makes its socket again when the file is gone, and open connections go on', async () => {
    await rig.worker('counter.mjs', ['Infinity', '20']);
    const open = await rig.connect();
    const { endpoint } = await rig.mustRecord();
    await rm(endpoint);
    await eventually(async () => await rig.connect());
    expect(await open.request('beat', null)).toMatchObject({ exit: null });
    expect(lstatSync(endpoint).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['torn', async (path: string) => truncate(path, 100)],
    ['emptied', async (path: string) => truncate(path, 0)],
    ['removed', async (path: string) => rm(path)],
    ['replaced', async (path: string) => writeFile(path, '{"v": 1, "keeper": {"pid": 1}}')],
  ])('makes its record again when somebody has %s it', async (_how, damage) => {
    await rig.worker('counter.mjs', ['Infinity', '20']);
    const before = await rig.mustRecord();
    await damage(join(rig.folder, 'keeper.json'));
    const { keeper, process: worker, nonce } = await eventually(async () => rig.mustRecord());
    expect({ keeper, worker, nonce }).toEqual({ keeper: before.keeper, worker: before.process, nonce: before.nonce });
  });

  it("makes the worker's status.json again when somebody deleted it, so that the registry goes on to count it", async () => {
    await rig.shell('sleep 1000');
    await rm(join(rig.folder, 'status.json'));
    expect(await eventually(async () => rig.status())).toMatchObject({ status: 'running', completed_at: null });
  });

  it("makes the worker's folder again when somebody deleted it, so that the worker can be seen and stopped", async () => {
    const keeper = await rig.shell('sleep 1000');
    // The keeper may make some of it again meanwhile.
    await rm(rig.folder, { recursive: true, maxRetries: 5 });
    await eventually(async () => rig.mustRecord());
    expect(await rig.status()).toMatchObject({ status: 'running' });
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: true });
    await keeper.ended;
    expect(await rig.status()).toMatchObject({ status: 'stopped' });
    expect((await rig.mustRecord()).attempts).toMatchObject([{ exit: { class: 'asked to stop' } }]);
  });

  it('makes nothing again where the whole project is gone, or was moved', async () => {
    const flag = join(rig.root, 'go');
    const keeper = await rig.shell(`while [ ! -e '${flag}' ]; do sleep 0.05; done`);
    await rename(join(rig.root, '.keysarium'), join(rig.root, 'moved'));
    await mkdir(flag);
    expect(await keeper.ended).toBe(0);
    expect((await readdir(rig.root)).sort()).toEqual(['go', 'moved']);
  });

  it("goes on when the worker's folder is deleted, and leaves with the worker", async () => {
    const flag = join(rig.root, 'go');
    const keeper = await rig.shell(`while [ ! -e '${flag}' ]; do sleep 0.05; done; echo bye`);
    const worker = await rig.mustProcess();
    // The keeper may make some of it again meanwhile.
    await rm(rig.folder, { recursive: true, maxRetries: 5 });
    expect(await livenessOf(worker)).toBe('alive');
    await mkdir(flag);
    expect(await keeper.ended).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)('goes on with a full disk and records the end once there is room', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', rig.folder]);
    try {
      const flag = join(rig.root, 'go');
      const ballast = join(rig.folder, 'ballast');
      const keeper = await rig.shell(`while [ ! -e '${flag}' ]; do sleep 0.05; done; exit 5`);
      const worker = await rig.mustProcess();
      execFileSync('sh', ['-c', `cat /dev/zero > '${ballast}' 2>/dev/null || true`]);
      await mkdir(flag);
      await untilGone(worker);
      expect(await (await rig.connect()).request('beat', null)).toMatchObject({ process: worker, exit: null });
      await rm(ballast);
      expect(await keeper.ended).toBe(0);
      expect((await rig.mustRecord()).attempts[0]?.exit).toMatchObject({ code: 5, class: 'crash' });
      expect(await rig.status()).toMatchObject({ status: 'failed' });
    } finally {
      execFileSync('umount', ['-l', rig.folder]);
    }
  });

  it.runIf(process.getuid?.() === 0)('starts nothing on a full disk and says why', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', rig.folder]);
    try {
      execFileSync('sh', ['-c', `cat /dev/zero > '${rig.folder}/ballast' 2>/dev/null || true`]);
      const keeper = await rig.shell(`touch '${rig.root}/started'`);
      expect(keeper.ready).toMatchObject({ ready: false, message: expect.stringMatching(/not started: .*ENOSPC/) });
      expect(await keeper.ended).toBe(1);
      expect(await readdir(rig.root)).not.toContain('started');
    } finally {
      execFileSync('umount', ['-l', rig.folder]);
    }
  });
});

function residentMegabytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // It ended between the two looks.
    return 0;
  }
}
