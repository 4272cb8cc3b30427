import { once } from 'node:events';
import { createServer } from 'node:net';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isolationOrder } from '../../src/core/host/isolation';
import type { KeeperSpec } from '../../src/core/protocol/keeper/keeperSpec';
import { protocolTypes } from '../../src/core/protocol/workers/protocolTypes';
import type { WorkerType } from '../../src/core/protocol/workers/workerType';
import { livenessOf } from '../../src/core/system/processIdentity';
import { runtimeDirOf } from '../../src/core/system/runtimeDir';
import { treeMarker } from '../../src/keeper/treeMarker';
import { fixtureWorker, useKeepers, WORKER_ID } from '../support/keeperRig';
import { runCli } from '../support/runCli';
import { boxesIn, everythingIn, means, noSandbox, processesOf } from '../support/sandbox';
import { tempProject } from '../support/tempProject';
import { layTrap, SETTLED } from '../support/trespass';

const rig = useKeepers();

/** The spec of the rig with its command in a sandbox, as the host would make it. */
async function sandboxedSpec(spec: KeeperSpec): Promise<KeeperSpec> {
  const { command, root, folder, runtimeDir } = spec;
  const plan = { level: 'sandbox', note: null, mayWrite: [] } as const;
  const draft = { plan, command, root, folder, runtimeDir, type: typeOf('health-check'), workerId: WORKER_ID };
  return { ...spec, isolation: await isolationOrder({ ...draft, ...means }) };
}

async function startSandboxed(name: string, args: readonly string[] = [], change: Partial<KeeperSpec> = {}) {
  return await rig.start(await sandboxedSpec(rig.spec(change, { args: [fixtureWorker(name), ...args] })));
}

async function shellSandboxed(script: string, change: Partial<KeeperSpec> = {}) {
  return await rig.start(await sandboxedSpec(rig.spec(change, { command: 'sh', args: ['-c', script] })));
}

/** Everything of a worker's tree that still runs, found by the mark that all of it inherits. */
async function leftOf(folder: string): Promise<readonly number[]> {
  const [name = '', value = ''] = treeMarker(WORKER_ID, folder).split('=');
  return await processesOf(name, value);
}

function typeOf(name: string): WorkerType {
  const type = protocolTypes.find((candidate) => candidate.name === name);
  if (type === undefined) {
    throw new Error(`no type ${name}`);
  }
  return type;
}

async function lastExit() {
  return (await rig.mustRecord()).attempts.at(-1)?.exit;
}

describe.skipIf(noSandbox !== null)('a sandboxed worker', () => {
  it('cannot write where no worker may, in any way, and its own work succeeds', async () => {
    const root = await tempProject({}, 'köln project');
    await layTrap(root);
    const before = contentOf(root);
    const started = await runCli(root, 'start', 'trespasser', '--isolation', 'sandbox', '--wait', '--json');
    expect(started.stderr).toBe('');
    expect(JSON.parse(started.stdout)).toMatchObject({ state: 'completed', status: 'completed', exit: { code: 0 } });
    const { worker_id: id } = JSON.parse(started.stdout) as { worker_id: string };
    const folder = join(root, '.keysarium/workers', id);
    const attempts = JSON.parse(readFileSync(join(folder, 'output/attempts.json'), 'utf8')) as Record<string, string>;
    expect(Object.keys(attempts)).toHaveLength(15);
    expect(Object.entries(attempts).filter(([, outcome]) => !REFUSALS.has(outcome))).toEqual([]);
    expect(contentOf(root)).toEqual(before);
    expect(JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8'))).toMatchObject({
      status: 'completed',
      progress: { phase: 'trespassing', items_processed: 15, total_items: 15 },
    });
    expect(readFileSync(join(folder, 'worker.log'), 'utf8')).toBe('own work done\n');
    const { workers } = JSON.parse((await runCli(root, 'status', '--json')).stdout) as { workers: object[] };
    expect(workers.at(-1)).toMatchObject({ attention: null, isolation: { level: 'sandbox', violations: [] } });
  });

  it('leaves nothing behind: no process, no box, no file that it did not mean to make', async () => {
    const root = await tempProject({ 'researches/a/README.md': 'a' });
    const { stdout } = await runCli(root, 'start', 'export-brain', '--wait', '--json');
    const { worker_id: id } = JSON.parse(stdout) as { worker_id: string };
    const folder = join(root, '.keysarium/workers', id);
    const ours = ['keeper.json', 'output', 'output.raw', 'status.json', 'worker.log'];
    expect(readdirSync(folder).sort()).toEqual(ours);
    const [name = '', value = ''] = treeMarker(id, folder).split('=');
    expect(await processesOf(name, value)).toEqual([]);
    expect(everythingIn(root).filter((path) => !path.startsWith('.keysarium'))).toEqual([
      'researches',
      'researches/a',
      'researches/a/README.md',
    ]);
    const { endpoint } = JSON.parse(readFileSync(join(folder, 'keeper.json'), 'utf8')) as { endpoint: string };
    expect(existsSync(endpoint.replace(/\.sock$/, '.box'))).toBe(false);
    expect(endpoint.startsWith(runtimeDirOf())).toBe(true);
  });

  it('of the type export-brain puts its export where that type may write', async () => {
    const root = await tempProject({ 'researches/a/README.md': 'a' });
    const { stdout } = await runCli(root, 'start', 'export-brain', '--isolation', 'sandbox', '--wait', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ state: 'completed' });
    expect(readdirSync(join(root, '.keysarium/exports'))).toHaveLength(1);
  });

  it('may write to the folder that its type names, which is made for it', async () => {
    const root = await tempProject();
    await layTrap(root, { mayWrite: ['reports/'], command: ['sh', '-c', 'echo fine > reports/today.txt'] });
    const { stdout } = await runCli(root, 'start', 'trespasser', '--isolation', 'sandbox', '--wait', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ state: 'completed' });
    expect(readFileSync(join(root, 'reports/today.txt'), 'utf8')).toBe('fine\n');
  });

  it('has no network, not even that of its own machine', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const script = `require('node:net').connect(${port}, '127.0.0.1').on('error', (error) => console.log('refused', error.code)).on('connect', () => console.log('reached'))`;
    const keeper = await rig.start(await sandboxedSpec(rig.spec({}, { args: ['-e', script] })));
    await keeper.ended;
    expect(await rig.read('worker.log')).toBe('refused ECONNREFUSED\n');
  });

  it('ends with its own exit code', async () => {
    await (await shellSandboxed('exit 7')).ended;
    expect(await lastExit()).toMatchObject({ code: 7, signal: null, class: 'crash' });
    expect(await rig.status()).toMatchObject({ status: 'failed' });
  });

  it('that was killed inside is told as killed', async () => {
    await (await shellSandboxed('kill -9 $$')).ended;
    expect(await lastExit()).toMatchObject({ code: null, signal: 'SIGKILL', class: 'killed by someone else' });
  });

  it('is not done because the sandbox says 0 after a SIGTERM from outside', async () => {
    const keeper = await startSandboxed('stubborn.mjs');
    await rig.logHolds('stubborn');
    process.kill((await rig.mustProcess()).pid, 'SIGTERM');
    await keeper.ended;
    expect(await lastExit()).toMatchObject({ code: null, signal: 'SIGTERM', class: 'killed by someone else' });
    expect(await leftOf(rig.folder)).toEqual([]);
  });

  it('whose program is missing is refused with the name of the program', async () => {
    const keeper = await rig.start(await sandboxedSpec(rig.spec({}, { command: 'no-such-program' })));
    expect(keeper.ready).toMatchObject({ ready: false, message: expect.stringContaining('Install it') as string });
    expect(await lastExit()).toMatchObject({ class: 'not installed' });
    expect(boxesIn(rig.spec().runtimeDir)).toEqual([]);
  });

  it('sees SIGTERM itself, gets the time to clean up, and nothing of the sandbox is left', async () => {
    const keeper = await startSandboxed('sees-term.mjs');
    await rig.logHolds('working');
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: true });
    await keeper.ended;
    expect(await rig.read('worker.log')).toMatch(/saw TERM\ncleaned up\n/);
    const { stop } = await rig.mustRecord();
    expect(stop?.steps.map(({ step }) => step)).toEqual(['terminate', 'verified']);
    expect(await lastExit()).toMatchObject({ code: 0, class: 'asked to stop', forced: true });
    expect(await rig.status()).toMatchObject({ status: 'stopped' });
    expect(await leftOf(rig.folder)).toEqual([]);
    expect(boxesIn(rig.spec().runtimeDir)).toEqual([]);
  });

  it('that ignores SIGTERM is killed with the whole sandbox around it', async () => {
    const script = `'${process.execPath}' '${fixtureWorker('stubborn.mjs')}' & wait`;
    const keeper = await shellSandboxed(script, { graceMs: 50, termGraceMs: 200 });
    await rig.logHolds('stubborn');
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: false });
    await keeper.ended;
    const { stop } = await rig.mustRecord();
    expect(stop?.steps.map(({ step }) => step).at(-1)).toBe('verified');
    expect(await lastExit()).toMatchObject({ class: 'asked to stop', forced: true });
    expect(await leftOf(rig.folder)).toEqual([]);
    expect(boxesIn(rig.spec().runtimeDir)).toEqual([]);
  });

  it('outlives its keeper, and the next keeper knows its exit code, protects its record and cleans up', async () => {
    const first = await shellSandboxed('echo working; until [ -e go ]; do sleep 0.05; done; exit 9', {});
    await rig.logHolds('working');
    const process = await rig.mustProcess();
    await first.kill();
    expect(await livenessOf(process)).toBe('alive');
    const inode = statSync(join(rig.folder, 'keeper.json')).ino;
    const second = await rig.start(rig.spec({ adopt: process }));
    expect(second.ready).toMatchObject({ ready: true });
    expect(statSync(join(rig.folder, 'keeper.json')).ino).toBe(inode);
    writeFileSync(join(rig.root, 'go'), '');
    await second.ended;
    expect(await lastExit()).toMatchObject({ code: 9, class: 'crash' });
    expect((await rig.mustRecord()).isolation).toMatchObject({ level: 'sandbox' });
    expect(await leftOf(rig.folder)).toEqual([]);
    expect(boxesIn(rig.spec().runtimeDir)).toEqual([]);
  });

  it('still cannot write the record and the log when the keeper has written them anew meanwhile', async () => {
    const script = [
      `cd '${rig.folder}'`,
      'seq 10000 12000; until [ -s worker.log ]; do sleep 0.05; done; seq 12001 12100',
      // The record holds this command too, and must not be taken for the stop that is waited for.
      'until grep -q as[k]ed keeper.json && [ -e worker.log.1 ]; do sleep 0.05; done',
      'echo forged > forged; mv -f forged keeper.json && echo RECORD REPLACED',
      '(echo forged > keeper.json) && echo RECORD WRITTEN',
      '(echo forged >> worker.log) && echo LOG WRITTEN',
      'echo tried',
    ].join('\n');
    const limits = { rawBytes: 1_000_000, logBytes: 10_000, logFiles: 3 };
    const keeper = await shellSandboxed(script, { limits });
    await rig.logHolds('12100');
    await (await rig.connect()).request('stop', { requestedBy: 'cli', force: false });
    await keeper.ended;
    const log = await rig.read('worker.log');
    expect(log).toContain('tried');
    expect(log).not.toMatch(/REPLACED|WRITTEN|forged\n/);
    expect((await rig.mustRecord()).stop?.finished).toBe(true);
  });

  it('that floods is bounded, and its log stays the protected file when it is turned over', async () => {
    const limits = { rawBytes: 4_000_000, logBytes: 1_000_000, logFiles: 3 };
    const keeper = await startSandboxed('flood.mjs', ['20', 'lines'], { limits });
    const inode = statSync(join(rig.folder, 'worker.log')).ino;
    await keeper.ended;
    expect(statSync(join(rig.folder, 'worker.log')).ino).toBe(inode);
    const logs = readdirSync(rig.folder).filter((name) => name.startsWith('worker.log'));
    expect(logs.sort()).toEqual(['worker.log', 'worker.log.1', 'worker.log.2']);
    expect(await rig.read('worker.log')).toContain('the last line');
    for (const log of logs) {
      expect(statSync(join(rig.folder, log)).size).toBeLessThanOrEqual(limits.logBytes);
    }
  });

  it('gets its secrets, which reach no file of the keeper', async () => {
    const secret = 'hunter2-hunter2';
    const spec = rig.spec(
      { secrets: [secret] },
      {
        command: 'sh',
        args: ['-c', 'echo "length ${#MY_TOKEN} $MY_TOKEN"'],
        env: { PATH: process.env['PATH'] ?? '', MY_TOKEN: secret },
      },
    );
    const sandboxed = await sandboxedSpec(spec);
    expect(JSON.stringify(sandboxed.isolation?.level === 'sandbox' ? sandboxed.isolation.place : null)).not.toContain(
      secret,
    );
    await (await rig.start(sandboxed)).ended;
    expect(await rig.read('worker.log')).toBe(`length ${secret.length} ***\n`);
    expect(await rig.read('keeper.json')).not.toContain(secret);
  });

  it('whose write was refused says so in a note, which is no violation', async () => {
    await (await shellSandboxed('touch forbidden.txt; exit 0')).ended;
    const { isolation } = await rig.mustRecord();
    expect(isolation?.note).toMatch(/^the sandbox refused a write: .*forbidden\.txt/);
    expect(isolation?.violations).toEqual([]);
    expect(await lastExit()).toMatchObject({ code: 0, class: 'done' });
  });

  it('starts in the folder of its command, with its own temporary folder and its stdin', async () => {
    const spec = rig.spec(
      {},
      { command: 'sh', args: ['-c', 'pwd; cat; touch "$TMPDIR/x" && echo temp'], stdin: 'hi\n' },
    );
    await (await rig.start(await sandboxedSpec(spec))).ended;
    expect(await rig.read('worker.log')).toBe(`${rig.root}\nhi\ntemp\n`);
  });
});

/** How the system refuses: read-only, across mounts, not permitted, busy. */
const REFUSALS = new Set(['EROFS', 'EXDEV', 'EPERM', 'EACCES', 'EBUSY']);

/** The text of every file that the trap holds. */
function contentOf(root: string): Readonly<Record<string, string>> {
  const places = ['researches', 'features', '.claude', `.keysarium/workers/${SETTLED}`];
  const files = places.flatMap((place) => everythingIn(join(root, place)).map((path) => join(place, path)));
  return Object.fromEntries(
    [...files, 'CLAUDE.md']
      .filter((path) => statSync(join(root, path)).isFile())
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
}
