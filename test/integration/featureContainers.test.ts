import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/core/base/clock';
import { silentLogger } from '../../src/core/base/logger';
import { noSources } from '../../src/core/protocol/features/featureSources';
import { readState } from '../../src/core/protocol/features/readState';
import { RunContainers, type RunContainersOptions } from '../../src/core/readers/liveRun/runContainers';
import { allowListedEnv } from '../../src/core/system/cleanEnv';
import { runtimeDirOf } from '../../src/core/system/runtimeDir';
import { DockerEngine, image, noDocker } from '../support/dockerEngine';
import { handClock } from '../support/handClock';
import { type CliRun, startCli } from '../support/runCli';
import { addFiles, tempProject } from '../support/tempProject';
import { distDir } from '../support/testHost';

const key = 'sk-ant-0123456789-not-to-be-seen';
const workers = [0, 1, 2, 3, 4];

/** A run whose workers all lived a moment ago, each at a task of its own. */
function stateText(now: number): string {
  const at = new Date(now - 5_000).toISOString().slice(0, 19);
  const task = (worker: number): object => ({ status: 'in_progress', worker_id: worker, updated_at: at, level: 1 });
  const worker = (id: number): object => ({
    worker_id: id,
    status: 'running',
    current_task: `T-${id}`,
    container_id: `${id}`.repeat(64),
    started_at: at,
  });
  return JSON.stringify({
    feature: 'user-auth',
    started_at: at,
    current_level: 1,
    tasks: Object.fromEntries(workers.map((id) => [`T-${id}`, task(id)])),
    workers: Object.fromEntries(workers.map((id) => [id, worker(id)])),
    levels: {},
    execution_log: [],
  });
}

async function runProject(): Promise<string> {
  const root = await tempProject({ '.zerg/state/user-auth.json': stateText(Date.now()) });
  await addFiles(root, Object.fromEntries(workers.map((id) => [worktree(id, 'x'), ''])));
  await addFiles(dirname(root), {
    '.zerg-worktrees/user-auth/worker-2/x': '',
    'other/.zerg-worktrees/user-auth/worker-3/x': '',
  });
  return root;
}

function worktree(id: number, file = ''): string {
  return join('.zerg-worktrees', 'user-auth', `worker-${id}`, file);
}

interface Look {
  readonly features: readonly {
    readonly phase: string;
    readonly stranded_tasks: readonly string[];
    readonly workers: readonly { readonly id: number; readonly status: string; readonly container_end: unknown }[];
  }[];
}

async function lookAt(root: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<CliRun> {
  const options = ['status', '--feature', 'user-auth', '--tz', 'UTC', ...args];
  return await startCli(root, options, { env: { ...process.env, ...env } }).ended;
}

/** The status of each worker, and what is said of its container's end. */
function workersIn(run: CliRun): readonly (readonly [string, unknown])[] {
  const [feature] = (JSON.parse(run.stdout) as Look).features;
  return feature?.workers.map(({ status, container_end: end }) => [status, end] as const) ?? [];
}

function containersOf(root: string, options: Partial<RunContainersOptions>): RunContainers {
  const program = { nodePath: process.execPath, script: join(distDir, 'docker.js'), env: allowListedEnv(process.env) };
  const defaults = { env: {}, home: null, platform: process.platform, clock: systemClock(), logger: silentLogger };
  return new RunContainers({ root, program, ...defaults, ...options });
}

const reading = readState(stateText(Date.now()), false);
const value = reading.kind === 'state' ? reading.document : null;
const sources = { ...noSources, states: [{ path: 'x', feature: 'user-auth', inWorktree: false, value }] };

describe.skipIf(noDocker !== null)('the containers of a feature run', () => {
  let engine: DockerEngine;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    engine = new DockerEngine();
    env = { DOCKER_HOST: engine.host };
    await engine.ready();
  });
  afterEach(() => {
    engine.removeContainers();
  });
  afterAll(async () => {
    await engine.stop();
  });

  /** Starts one as the real tool does; it runs `command` until it ends. */
  function container(id: number, workspace: string, command: string, ...options: readonly string[]): void {
    const variables = { ZERG_FEATURE: 'user-auth', ZERG_WORKER_ID: String(id), ANTHROPIC_API_KEY: key };
    const named = Object.entries(variables).flatMap(([name, text]) => ['-e', `${name}=${text}`]);
    const plain = ['run', '-d', '--network', 'none', '--name', `zerg-worker-${id}`, '-v', `${workspace}:/workspace`];
    engine.docker(...plain, ...named, ...options, image, '/bin/sh', '-c', command);
  }

  function isExited(id: number): boolean {
    return engine.docker('inspect', '-f', '{{.State.Status}}', `zerg-worker-${id}`) === 'exited';
  }

  async function startAll(root: string): Promise<void> {
    container(0, join(root, worktree(0)), 'exec /bin/busybox tail /dev/zero', '-m', '6m');
    container(1, join(root, worktree(1)), 'exec /bin/busybox sleep 600');
    const health = ['--health-cmd', '/bin/busybox false', '--health-interval', '1s', '--health-retries', '1'];
    container(2, join(dirname(root), worktree(2)), 'exec /bin/busybox sleep 600', ...health);
    container(3, join(dirname(root), 'other', worktree(3)), 'exit 3');
    container(4, join(root, worktree(4)), 'exit 4', '-e', 'ZERG_FEATURE=billing');
    await vi.waitFor(
      () => {
        expect(engine.docker('ps', '--filter', 'health=unhealthy', '--format', '{{.Names}}')).toBe('zerg-worker-2');
        expect([0, 3, 4].map(isExited)).toEqual([true, true, true]);
      },
      { timeout: 60_000, interval: 200 },
    );
  }

  it('tell which workers crashed and how, and containers of other projects and features tell nothing', async () => {
    const root = await runProject();
    await startAll(root);
    // A look waits for the engine as long as a person would, and goes without it then.
    const run = await vi.waitFor(
      async () => {
        const look = await lookAt(root, env, '--json');
        expect(workersIn(look)).toEqual([
          ['crashed', { exit_code: 137, oom_killed: true, unhealthy: false }],
          ['running', null],
          ['crashed', { exit_code: null, oom_killed: false, unhealthy: true }],
          ['running', null],
          ['running', null],
        ]);
        return look;
      },
      { timeout: 60_000, interval: 200 },
    );
    expect((JSON.parse(run.stdout) as Look).features[0]?.stranded_tasks).toEqual(['T-0', 'T-2']);
  });

  it('are not asked for a past moment', async () => {
    const root = await runProject();
    container(0, join(root, worktree(0)), 'exit 3');
    await vi.waitFor(() => {
      expect(isExited(0)).toBe(true);
    }, 60_000);
    const run = await lookAt(root, env, '--json', '--at', new Date().toISOString());
    expect(workersIn(run).map(([status]) => status)).toEqual(workers.map(() => 'running'));
  });

  it('have a key in their environment that is neither shown nor logged nor kept anywhere', async () => {
    const root = await runProject();
    await startAll(root);
    expect(engine.docker('inspect', 'zerg-worker-0')).toContain(key);
    const json = await lookAt(root, env, '--json', '--tasks', '--workers');
    const text = await lookAt(root, env, '--tasks', '--workers');
    const asked = containersOf(root, { env });
    const known = JSON.stringify([await asked.look(sources), asked]);
    const written = [dirname(root), runtimeDirOf()].filter(existsSync).flatMap(everyFile);
    const seen = [json.stdout, json.stderr, text.stdout, text.stderr, known];
    expect(workersIn(json)[0]?.[0]).toBe('crashed');
    expect(seen.filter((place) => place.includes(key) || place.includes('ANTHROPIC'))).toEqual([]);
    // The compiled program lies there too, and knows the variable's name.
    expect(written.filter((path) => textOf(path).includes(key))).toEqual([]);
  });

  it('are found by the context of the docker configuration, which DOCKER_CONTEXT overrules', async () => {
    const root = await runProject();
    container(0, join(root, worktree(0)), 'exit 3');
    await vi.waitFor(() => {
      expect(isExited(0)).toBe(true);
    }, 60_000);
    const id = createHash('sha256').update('lab').digest('hex');
    const meta = { Name: 'lab', Endpoints: { docker: { Host: engine.host } } };
    await addFiles(dirname(root), {
      'docker/config.json': JSON.stringify({ currentContext: 'lab' }),
      [`docker/contexts/meta/${id}/meta.json`]: JSON.stringify(meta),
    });
    const byContext = { DOCKER_HOST: '', DOCKER_CONFIG: join(dirname(root), 'docker') };
    expect(workersIn(await lookAt(root, byContext, '--json'))[0]?.[0]).toBe('crashed');
    const overruled = { ...byContext, DOCKER_CONTEXT: 'gone' };
    expect(workersIn(await lookAt(root, overruled, '--json'))[0]?.[0]).toBe('running');
  });

  it('are asked again every five seconds, and no look but the first waits for the answer', async () => {
    const root = await runProject();
    container(1, join(root, worktree(1)), 'exec /bin/busybox sleep 600');
    const clock = handClock();
    const containers = containersOf(root, { env, clock });
    const states = async (): Promise<readonly string[]> =>
      (await containers.look(sources))?.map(({ state }) => state) ?? [];
    expect(await states()).toEqual(['running']);
    engine.docker('kill', 'zerg-worker-1');
    clock.go(4_999);
    expect(await states()).toEqual(['running']);
    clock.go(1);
    expect(await states()).toEqual(['running']);
    await vi.waitFor(async () => {
      expect(await states()).toEqual(['exited']);
    }, 60_000);
  });
});

describe('where no container engine answers', () => {
  it('a look is made by the files alone and says nothing', async () => {
    const root = await runProject();
    const run = await lookAt(root, { DOCKER_HOST: 'unix:///nowhere/docker.sock' }, '--json');
    expect(run.stderr).toBe('');
    expect(workersIn(run).map(([status]) => status)).toEqual(workers.map(() => 'running'));
  });

  it('the log is told once, and the engine is left alone for half a minute', async () => {
    const root = await runProject();
    await addFiles(root, { 'docker.sock': 'no socket' });
    const clock = handClock();
    const told: string[] = [];
    const logger = { ...silentLogger, info: (message: string) => void told.push(message) };
    const containers = containersOf(root, { clock, logger, env: { DOCKER_HOST: `unix://${root}/docker.sock` } });
    for (const pause of [0, 1_000, 30_000, 30_000]) {
      clock.go(pause);
      expect(await containers.look(sources)).toBeNull();
    }
    expect(told).toEqual(['The container engine cannot be asked, so runs are shown by their files alone.']);
  });
});

function everyFile(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Others use the runtime folder too, and a file of theirs may be gone again.
    return '';
  }
}
