import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { treeMarker } from '../../src/keeper/treeMarker';
import { DockerEngine, image, noDocker } from '../support/dockerEngine';
import { endKeepersOf } from '../support/endKeepersOf';
import { type CliRun, startCli } from '../support/runCli';
import { processesOf } from '../support/sandbox';
import { addFiles, tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';

/** Counts aloud for some seconds and ends with 7. */
const COUNT = 'i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i; /bin/busybox sleep 0.1; done; exit 7';
/** Hears nothing but its flag. */
const UNTIL_FLAG =
  'trap "" TERM; echo here; while [ ! -e "$ROLLCALL_STOP_FLAG" ]; do /bin/busybox sleep 0.1; done; exit 0';
const DEAF = 'trap "" TERM; echo here; while :; do /bin/busybox sleep 0.1; done';

interface Shown {
  readonly worker_id: string;
  readonly state: string;
  readonly status: string;
  readonly exit: { readonly code: number | null; readonly signal: string | null; readonly class: string } | null;
  readonly isolation: { readonly level: string; readonly note: string | null };
  readonly error: string | null;
}

describe.skipIf(noDocker !== null)('a worker in a container', () => {
  let engine: DockerEngine;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    engine = new DockerEngine();
    env = { ...process.env, DOCKER_HOST: engine.host };
    await engine.ready();
  });
  afterEach(() => {
    engine.removeContainers();
  });
  afterAll(async () => {
    await engine.stop();
  });

  /** A project whose type `boxed` runs this script in a container. */
  async function projectWith(script: string, more: object = {}): Promise<string> {
    const boxed = {
      description: 'x',
      command: ['/bin/sh', '-c', script],
      isolation: 'container',
      image,
      env: { GREETING: 'hello there' },
      graceSeconds: 1,
      ...more,
    };
    const config = { version: 1, types: { boxed } };
    const root = await tempProject(
      { '.vscode/workers.json': JSON.stringify(config), 'notes.txt': 'read me\n' },
      'проект köln',
    );
    onTestFinished(async () => endKeepersOf(root));
    return root;
  }

  async function cli(root: string, ...args: readonly string[]): Promise<CliRun> {
    return await startCli(root, args, { env }).ended;
  }

  async function startBoxed(root: string, ...args: readonly string[]): Promise<Shown> {
    const run = await cli(root, 'start', 'boxed', '--json', ...args);
    expect(run.stderr).toBe('');
    return JSON.parse(run.stdout) as Shown;
  }

  function folderOf(root: string, { worker_id: id }: Shown): string {
    return join(root, '.keysarium/workers', id);
  }

  function logOf(root: string, worker: Shown): string {
    const file = join(folderOf(root, worker), 'worker.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  function recordOf(root: string, worker: Shown): KeeperRecord {
    const record = readKeeperRecord(readFileSync(join(folderOf(root, worker), 'keeper.json'), 'utf8'));
    if (record === null) {
      throw new Error('no keeper.json');
    }
    return record;
  }

  function containers(): readonly string[] {
    return engine
      .docker('ps', '-a', '--filter', 'label=rollcall.worker', '--format', '{{.Names}}')
      .split('\n')
      .filter((name) => name !== '');
  }

  async function untilLogged(root: string, worker: Shown, text: string): Promise<void> {
    await vi.waitFor(
      () => {
        expect(logOf(root, worker)).toContain(text);
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  async function shown(root: string, { worker_id: id }: Shown): Promise<Shown> {
    const { workers } = JSON.parse((await cli(root, 'status', '--json')).stdout) as { workers: readonly Shown[] };
    const row = workers.find(({ worker_id: own }) => own === id);
    if (row === undefined) {
      throw new Error(`no row of ${id}`);
    }
    return row;
  }

  async function untilEnded(root: string, worker: Shown): Promise<Shown> {
    await vi.waitFor(
      () => {
        expect(recordOf(root, worker).attempts.at(-1)?.exit).not.toBeNull();
      },
      {
        timeout: 60_000,
        interval: 100,
      },
    );
    return await shown(root, worker);
  }

  async function leadingHost(root: string): Promise<HostApi> {
    const host = await openTestHost(root, { env });
    await host.watch();
    await host.lead();
    return host;
  }

  /** `kill -9` for all that is ours: the keeper and the process that stands for the container. */
  async function killOurs(root: string, worker: Shown): Promise<void> {
    const { keeper } = recordOf(root, worker);
    const [name = '', value = ''] = treeMarker(worker.worker_id, folderOf(root, worker)).split('=');
    const stand = await processesOf(name, value);
    expect(stand.length).toBeGreaterThan(0);
    for (const pid of [keeper.pid, ...stand]) {
      process.kill(pid, 'SIGKILL');
    }
  }

  const counted = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

  function linesIn(text: string): readonly string[] {
    return text.split('\n').filter((line) => line.startsWith('line '));
  }

  it('reads the project, writes its own folder and nothing else, and leaves no container', async () => {
    const root = await projectWith(
      [
        '/bin/busybox cat notes.txt',
        'echo "$GREETING, HOME=$HOME PATH=$PATH"',
        'echo x >notes.txt || echo refused',
        'echo x >"$ROLLCALL_WORKER_DIR/keeper.json" || echo sealed',
        'echo result >"$ROLLCALL_OUTPUT_DIR/result.txt"',
        'echo to stderr >&2',
      ].join('\n'),
    );
    const worker = await startBoxed(root, '--wait');
    expect(worker).toMatchObject({ state: 'completed', exit: { code: 0, class: 'done' } });
    expect((await shown(root, worker)).isolation).toMatchObject({ level: 'container' });
    const log = logOf(root, worker);
    expect(log).toContain('read me\n');
    expect(log).toContain('hello there, HOME=/tmp PATH=');
    expect(log).not.toContain(`PATH=${process.env['PATH'] ?? ''}\n`);
    expect(log).toContain('refused');
    expect(log).toContain('sealed');
    expect(log).toContain('to stderr');
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('read me\n');
    const result = join(folderOf(root, worker), 'output/result.txt');
    expect(readFileSync(result, 'utf8')).toBe('result\n');
    expect(statSync(result).uid).toBe(process.getuid?.());
    expect(containers()).toEqual([]);
    const ours = ['keeper.json', 'output', 'output.raw', 'status.json', 'worker.log'];
    expect(readdirSync(folderOf(root, worker)).sort()).toEqual(ours);
  });

  it('knows its place also where the project was opened through a link', async () => {
    const root = await projectWith('echo result >"$ROLLCALL_OUTPUT_DIR/result.txt"');
    const link = `${root} link`;
    await symlink(root, link);
    const worker = await startBoxed(link, '--wait');
    expect(worker).toMatchObject({ state: 'completed' });
    expect(readFileSync(join(folderOf(root, worker), 'output/result.txt'), 'utf8')).toBe('result\n');
  });

  it('ends with its own exit code, and one that ran out of memory is named so', async () => {
    const root = await projectWith('exit 7');
    expect((await startBoxed(root, '--wait')).exit).toMatchObject({ code: 7, class: 'crash' });
    const hungry = await projectWith('exec /bin/busybox tail /dev/zero', { limits: { memoryMB: 8 } });
    const worker = await startBoxed(hungry, '--wait');
    expect(worker.exit).toMatchObject({ signal: 'SIGKILL', class: 'out of memory' });
    const { stdout } = await cli(hungry, 'why', worker.worker_id);
    expect(stdout).toContain('memory');
  });

  it('runs at the engine of the docker context', async () => {
    const root = await projectWith('echo here');
    const id = createHash('sha256').update('lab').digest('hex');
    const meta = { Name: 'lab', Endpoints: { docker: { Host: engine.host } } };
    await addFiles(dirname(root), { [`docker/contexts/meta/${id}/meta.json`]: JSON.stringify(meta) });
    const byContext = { DOCKER_HOST: '', DOCKER_CONFIG: join(dirname(root), 'docker'), DOCKER_CONTEXT: 'lab' };
    const run = await startCli(root, ['start', 'boxed', '--wait', '--json'], { env: { ...env, ...byContext } }).ended;
    const worker = JSON.parse(run.stdout) as Shown;
    expect(worker).toMatchObject({ state: 'completed' });
    expect(recordOf(root, worker).isolation?.container?.endpoint).toEqual({
      kind: 'socket',
      path: engine.host.replace('unix://', ''),
    });
  });

  it('is refused before anything is made where its image is missing, or its engine', async () => {
    const root = await projectWith('exit 0', { image: 'rollcall-missing:1' });
    const missing = await cli(root, 'start', 'boxed');
    expect(missing.code).toBe(1);
    expect(missing.stderr + missing.stdout).toContain('docker pull rollcall-missing:1');
    const gone = await startCli(root, ['start', 'boxed'], { env: { ...env, DOCKER_HOST: 'tcp://127.0.0.1:9' } }).ended;
    expect(gone.code).toBe(1);
    expect(gone.stderr + gone.stdout).toContain('does not answer');
    expect(existsSync(join(root, '.keysarium'))).toBe(false);
  });

  it('that names a program which its image does not have fails with that reason and is not tried again', async () => {
    const root = await projectWith('', { command: ['/bin/nothing'] });
    const worker = await startBoxed(root, '--wait');
    expect(worker).toMatchObject({ state: 'failed', exit: { class: 'config' } });
    expect(worker.error).toContain('has no program /bin/nothing');
    expect(containers()).toEqual([]);
  });

  it('hears the polite request, and is stopped', async () => {
    const root = await projectWith(UNTIL_FLAG, { graceSeconds: 30 });
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'here');
    expect(engine.docker('inspect', '-f', '{{index .Config.Labels "rollcall.worker"}}', containers()[0] ?? '')).toBe(
      worker.worker_id,
    );
    await cli(root, 'stop', worker.worker_id);
    expect(await untilEnded(root, worker)).toMatchObject({ state: 'stopped', exit: { class: 'asked to stop' } });
    expect(recordOf(root, worker).stop?.steps.map(({ step }) => step)).toEqual(['asked', 'verified']);
    expect(containers()).toEqual([]);
  });

  it('that hears nothing is ended by the ladder, container and all', async () => {
    const root = await projectWith(DEAF);
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'here');
    await cli(root, 'stop', worker.worker_id, '--force');
    await cli(root, 'stop', worker.worker_id, '--force');
    expect(await untilEnded(root, worker)).toMatchObject({ state: 'stopped', exit: { class: 'asked to stop' } });
    expect(containers()).toEqual([]);
  });

  it('goes on when everything of ours is killed, is found again, and no line is lost or doubled', async () => {
    const root = await projectWith(COUNT);
    await mkdir(join(root, '.keysarium/workers'), { recursive: true });
    const leader = startCli(root, ['supervise'], { env });
    await vi.waitFor(async () => {
      const { stdout } = await cli(root, 'status', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ leader: { pid: leader.child.pid } });
    }, 60_000);
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'line 5');
    leader.child.kill('SIGKILL');
    await killOurs(root, worker);
    expect(containers()).toHaveLength(1);
    // A look asks no engine, so nobody can know.
    expect(await shown(root, worker)).toMatchObject({ state: 'unknown', status: 'unknown' });
    await leadingHost(root);
    await vi.waitFor(
      async () => {
        expect(await shown(root, worker)).toMatchObject({ state: 'running', status: 'running' });
      },
      { timeout: 60_000 },
    );
    const end = await untilEnded(root, worker);
    expect(end).toMatchObject({ state: 'failed', exit: { code: 7, class: 'crash' } });
    expect(linesIn(logOf(root, worker))).toEqual(counted);
    expect(containers()).toEqual([]);
  });

  it('whose end nobody of ours saw is told as its engine knows it', async () => {
    const root = await projectWith('echo line 1; /bin/busybox sleep 5; echo line 2; exit 7');
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'line 1');
    await killOurs(root, worker);
    await vi.waitFor(
      () => {
        expect(engine.docker('ps', '-q', '--filter', 'label=rollcall.worker')).toBe('');
      },
      {
        timeout: 60_000,
        interval: 100,
      },
    );
    await leadingHost(root);
    expect(await untilEnded(root, worker)).toMatchObject({ state: 'failed', exit: { code: 7, class: 'crash' } });
    expect(linesIn(logOf(root, worker))).toEqual(['line 1', 'line 2']);
    expect(containers()).toEqual([]);
  });

  it('keeps its exit code when its keeper alone is killed', async () => {
    const root = await projectWith(COUNT);
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'line 5');
    process.kill(recordOf(root, worker).keeper.pid, 'SIGKILL');
    await leadingHost(root);
    expect(await untilEnded(root, worker)).toMatchObject({ state: 'failed', exit: { code: 7, class: 'crash' } });
    expect(linesIn(logOf(root, worker))).toEqual(counted);
  });

  it('is ended when only the process that stands for it was killed', async () => {
    const root = await projectWith(DEAF);
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'here');
    process.kill(recordOf(root, worker).process?.pid ?? 0, 'SIGKILL');
    const end = await untilEnded(root, worker);
    expect(end.exit).toMatchObject({ signal: 'SIGKILL', class: 'killed by someone else' });
    expect(end.isolation.note).toContain('was ended, because what followed it had been killed');
    expect(containers()).toEqual([]);
  });

  it('waits for an engine that went away, says so, and goes on with it when it is back', async () => {
    const root = await projectWith(COUNT.replace('-lt 30', '-lt 80'));
    const worker = await startBoxed(root);
    await untilLogged(root, worker, 'line 5');
    await engine.goAway();
    try {
      await untilLogged(root, worker, 'The container engine does not answer');
      expect((await shown(root, worker)).state).toBe('running');
    } finally {
      await engine.comeBack();
    }
    const end = await untilEnded(root, worker);
    expect(end).toMatchObject({ state: 'failed', exit: { code: 7, class: 'crash' } });
    expect(logOf(root, worker)).toContain('The container engine answers again.');
    expect(linesIn(logOf(root, worker))).toEqual(Array.from({ length: 80 }, (_, index) => `line ${index + 1}`));
    expect(containers()).toEqual([]);
  });
});
