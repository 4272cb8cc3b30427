import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keeperClaim } from '../../src/core/protocol/keeper/keeperClaim';
import { livenessOf } from '../../src/core/system/processIdentity';
import { fixtureWorker, untilGone, useKeepers, WORKER_ID } from '../support/keeperRig';

const rig = useKeepers();

describe('the keeper records how a worker ended', () => {
  it('records exit 0 as done, completes status.json and leaves nothing behind', async () => {
    const keeper = await rig.shell('echo one; echo two >&2');
    expect(await keeper.ended).toBe(0);
    const record = await rig.mustRecord();
    expect(record.attempts).toHaveLength(1);
    expect(record.attempts[0]?.exit).toMatchObject({ code: 0, signal: null, class: 'done', requestedBy: null });
    expect(record.attempts[0]?.process).toEqual(record.process);
    expect(await rig.status()).toMatchObject({
      worker_id: WORKER_ID,
      type: 'health-check',
      status: 'completed',
      started_at: '2026-03-01T14:30:22Z',
      error: null,
    });
    expect(await rig.read('worker.log')).toBe('one\ntwo\n');
    expect((await readdir(rig.folder)).sort()).toEqual(['keeper.json', 'output.raw', 'status.json', 'worker.log']);
    await expect(stat(record.endpoint)).rejects.toThrow('ENOENT');
  });

  it('records another exit code as a crash, with an error.log that ends in the last lines', async () => {
    const keeper = await rig.shell('echo it went wrong; exit 3');
    await keeper.ended;
    expect((await rig.mustRecord()).attempts[0]?.exit).toMatchObject({ code: 3, class: 'crash' });
    expect(await rig.status()).toMatchObject({ status: 'failed', error: expect.stringContaining('exit code 3') });
    expect(await rig.read('error.log')).toMatch(/exit code 3[^]*it went wrong\n$/);
  });

  it.each([
    ['SIGKILL', 'killed by someone else'],
    ['SIGTERM', 'killed by someone else'],
    ['SIGSEGV', 'crash'],
  ])('records a %s that is not ours as %s', async (signal, exitClass) => {
    const keeper = await rig.shell(`kill -s ${signal.slice(3)} $$`);
    await keeper.ended;
    expect((await rig.mustRecord()).attempts[0]?.exit).toMatchObject({
      code: null,
      signal,
      class: exitClass,
      forced: false,
    });
    expect(await rig.status()).toMatchObject({ status: 'failed' });
  });

  it("leaves the worker's own terminal word and its progress alone", async () => {
    const own = '{"status": "Done", "progress": {"phase": "all", "items_processed": 4, "total_items": 4}}';
    const keeper = await rig.shell(`printf '%s' '${own}' > '${rig.folder}/status.json'; exit 1`);
    await keeper.ended;
    expect(await rig.read('status.json')).toBe(own);
    expect((await rig.mustRecord()).attempts[0]?.exit).toMatchObject({ code: 1, class: 'crash' });
    expect(await readdir(rig.folder)).not.toContain('error.log');
  });

  it('keeps the progress of a worker that ended without a terminal word', async () => {
    const own = '{"status": "running", "progress": {"phase": "scan", "items_processed": 2, "total_items": 9}}';
    const keeper = await rig.shell(`printf '%s' '${own}' > '${rig.folder}/status.json'; exit 1`);
    await keeper.ended;
    const progress = { phase: 'scan', items_processed: 2, total_items: 9 };
    expect(await rig.status()).toMatchObject({ status: 'failed', progress });
  });

  it('says running in status.json before the worker can look', async () => {
    const keeper = await rig.shell(`cat '${rig.folder}/status.json'`);
    await keeper.ended;
    expect(JSON.parse(await rig.read('worker.log'))).toMatchObject({ worker_id: WORKER_ID, status: 'running' });
  });

  it('gives the worker its arguments, environment and stdin as they are, and no shell', async () => {
    const script =
      'console.log(JSON.stringify([process.argv.slice(1), process.env.GREETING])); process.stdin.pipe(process.stdout)';
    const args = ['-e', script, '--', '$HOME; "quoted" & more', 'ü 🚂'];
    const env = { PATH: process.env['PATH'] ?? '', GREETING: 'hello  there' };
    const keeper = await rig.start(rig.spec({}, { args, env, stdin: 'the whole prompt\n'.repeat(10_000) }));
    await keeper.ended;
    const [first, ...rest] = (await rig.read('worker.log')).trimEnd().split('\n');
    expect(JSON.parse(first ?? '')).toEqual([['$HOME; "quoted" & more', 'ü 🚂'], 'hello  there']);
    expect(rest).toHaveLength(10_000);
    expect(await readdir(rig.folder)).not.toContain('.stdin');
  });
});

describe('the keeper starts nothing when it cannot', () => {
  it('reports a program that is not there as not installed, on disk before it answers', async () => {
    const keeper = await rig.start(rig.spec({}, { command: 'no-such-program-here' }));
    expect(keeper.ready).toMatchObject({ ready: false, message: expect.stringMatching(/not found\. Install it/) });
    expect((await rig.mustRecord()).attempts[0]).toMatchObject({ process: null, exit: { class: 'not installed' } });
    expect(await rig.status()).toMatchObject({ status: 'failed', error: expect.stringContaining('Install it') });
    await keeper.ended;
  });

  it('gives up where a successor has closed its start as never started meanwhile', async () => {
    const starter = { pid: 2 ** 30, startTime: 'long ago' };
    const claim = keeperClaim({ workerId: WORKER_ID, nonce: 'a1', starter, at: '2026-03-01T14:30:22.000Z' });
    await writeFile(join(rig.folder, 'keeper.json'), JSON.stringify(claim));
    const successor = await rig.start(rig.spec({ adopt: { ...starter, pgid: 0 } }));
    await successor.ended;
    expect((await rig.mustRecord()).attempts).toMatchObject([{ process: null, exit: { class: 'never started' } }]);
    const late = await rig.shell('echo came after all');
    expect(late.ready).toMatchObject({ ready: false, message: expect.stringContaining('given up meanwhile') });
    await late.ended;
    expect((await rig.mustRecord()).attempts).toHaveLength(1);
  });

  it('reports a program that may not run, and a missing folder, as a matter of configuration', async () => {
    const program = join(rig.root, 'tool');
    await writeFile(program, 'not a program');
    await chmod(program, 0o644);
    const refused = await rig.start(rig.spec({}, { command: program }));
    expect(refused.ready).toMatchObject({ ready: false, message: expect.stringContaining('Make it executable') });
    const lost = await rig.start(rig.spec({}, { cwd: join(rig.root, 'gone') }));
    expect(lost.ready).toMatchObject({ ready: false, message: expect.stringContaining('does not exist') });
    expect((await rig.mustRecord()).attempts.map(({ exit }) => exit?.class)).toEqual(['config', 'config']);
    await Promise.all([refused.ended, lost.ended]);
  });

  it.each([
    ['cut in the middle', (line: string) => line.slice(0, line.length / 2)],
    ['complete but for its line end', (line: string) => line],
    ['of another version', (line: string) => `${line.replace('"v":1', '"v":2')}\n`],
    ['empty', () => ''],
  ])('starts nothing on a spec that is %s', async (_name, spoil) => {
    const spec = rig.spec({}, { command: 'sh', args: ['-c', 'touch started'] });
    const keeper = await rig.start(spoil(JSON.stringify(spec)));
    expect(keeper.ready).toMatchObject({ ready: false, message: expect.stringContaining('nothing was started') });
    expect(await keeper.ended).toBe(1);
    expect(await readdir(rig.folder)).toEqual([]);
    expect(await readdir(rig.root)).not.toContain('started');
  });
});

describe('the keeper outlives what is around it', () => {
  it('ignores the hang-up and interrupt of a terminal that goes', async () => {
    const keeper = await rig.worker('polite.mjs', [rig.folder]);
    process.kill(keeper.pid, 'SIGHUP');
    process.kill(keeper.pid, 'SIGINT');
    const client = await rig.connect();
    expect(await client.request('beat', null)).toMatchObject({
      process: await rig.mustProcess(),
      exit: null,
      stop: null,
    });
    expect(await livenessOf(await rig.mustProcess())).toBe('alive');
  });

  it('keeps the worker when the keeper is killed, and the worker writes on', async () => {
    const keeper = await rig.start(rig.spec({}, { args: [fixtureWorker('counter.mjs'), '200', '5'] }));
    const worker = await rig.mustProcess();
    await keeper.kill();
    expect(await livenessOf(worker)).toBe('alive');
    await untilGone(worker);
    expect(await rig.read('output.raw')).toContain('line 000200');
  });
});
