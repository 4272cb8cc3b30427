import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/core/base/logger';
import type { HostApi } from '../../src/core/host/api';
import { createHost } from '../../src/core/host/createHost';
import { isKeeperClaim } from '../../src/core/protocol/keeper/keeperClaim';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { isWorkerId } from '../../src/core/protocol/workers/workerId';
import type { ChaosPlan } from './chaosPlan';
import { endMarked, markedProcesses, signal } from './chaosProcesses';
import { ChaosWindow } from './chaosWindow';

/** The types that a round starts, in `workers.json`; each is a kind of test/fixtures/workers/chaos.mjs. */
export const KINDS = ['counter', 'stubborn', 'forking', 'quick', 'fails', 'flood'] as const;
/** The type of which a fleet is made. */
export const FLEET_TYPE = 'sleeper';

const FEW_WORKERS = 8;

const MARK_NAME = 'LC_ROLLCALL_CHAOS';

export interface ChaosPrograms {
  /** The folder that `bundleChaosPrograms` filled. */
  readonly programs: string;
  /** test/fixtures/workers */
  readonly fixtures: string;
}

/** A project with windows, terminals, keepers and workers, all of them real; and what was done to them. */
export class ChaosWorld {
  readonly #programs: ChaosPrograms;
  readonly #parent: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #frozen = new Map<number, NodeJS.Timeout>();
  readonly #terminals = new Set<ChildProcess>();
  readonly #isMounted: boolean;
  #opened = 0;
  readonly mark: string;
  readonly root: string;
  readonly workersDir: string;
  readonly startsDir: string;
  readonly observer: HostApi;
  readonly windows: ChaosWindow[] = [];
  /** Whose start was answered with yes. */
  readonly started = new Set<string>();
  /** Whose stop was answered with yes. */
  readonly stopped = new Set<string>();
  /** Whose files we damaged, so that nothing can be asked of them. */
  readonly damaged = new Set<string>();
  /** A torn registry is made again from the folders that are there, so rows of deleted folders are gone. */
  registryTorn = false;

  private constructor(programs: ChaosPrograms, parent: string, observer: HostApi, smallDisk: boolean) {
    this.#programs = programs;
    this.#parent = parent;
    this.observer = observer;
    this.root = observer.root;
    this.#isMounted = smallDisk;
    this.workersDir = join(this.root, '.keysarium', 'workers');
    this.startsDir = join(parent, 'starts');
    const id = parent.replace(/\W/g, '');
    this.mark = `${MARK_NAME}=${id}`;
    this.#env = { ...process.env, [MARK_NAME]: id };
  }

  static async open(plan: ChaosPlan, programs: ChaosPrograms): Promise<ChaosWorld> {
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-chaos-')));
    const root = join(parent, 'project');
    mkdirSync(root);
    const smallDisk = plan.smallDisk && process.getuid?.() === 0;
    if (smallDisk) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', root]);
    }
    const starts = join(parent, 'starts');
    for (const folder of [starts, join(root, '.vscode'), join(root, '.keysarium', 'workers')]) {
      mkdirSync(folder, { recursive: true });
    }
    const limit = Math.max(plan.fleet, FEW_WORKERS);
    writeFileSync(join(root, '.vscode', 'workers.json'), workersJson(programs.fixtures, starts, limit));
    const observer = await createHost({
      root,
      surface: 'cli',
      distDir: join(programs.programs, 'dist'),
      nodePath: process.execPath,
      env: { ...process.env, [MARK_NAME]: parent.replace(/\W/g, '') },
      trusted: true,
      logger: silentLogger,
    });
    await observer.watch();
    return new ChaosWorld(programs, parent, observer, smallDisk);
  }

  get openWindows(): readonly ChaosWindow[] {
    return this.windows.filter(({ isOpen }) => isOpen);
  }

  openWindow(descriptors: number | null = null): void {
    this.#opened += 1;
    this.windows.push(
      new ChaosWindow({
        programs: this.#programs.programs,
        root: this.root,
        env: this.#env,
        clockFile: join(this.#parent, `clock-${this.#opened}`),
        descriptors,
        answers: this.#answers(),
      }),
    );
  }

  /** A `rollcall` command; gives its process so that it can be killed. */
  runTerminal(args: readonly string[], descriptors: number | null = null): ChildProcess {
    const node = [process.execPath, join(this.#programs.programs, 'dist', 'cli.js'), ...args, '--json'];
    const limited = ['sh', '-c', `ulimit -n ${descriptors ?? 0}; exec "$@"`, 'sh', ...node];
    const [command = '', ...rest] = descriptors === null ? node : limited;
    const child = spawn(command, rest, { cwd: this.root, env: this.#env, stdio: ['ignore', 'pipe', 'ignore'] });
    this.#terminals.add(child);
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
    });
    child.once('close', (code) => {
      this.#terminals.delete(child);
      const workerId = code === 0 ? /"worker_id": "([^"]+)"/.exec(text)?.[1] : undefined;
      if (workerId !== undefined) {
        (args[0] === 'stop' ? this.stopped : this.started).add(workerId);
      }
    });
    return child;
  }

  get terminals(): readonly ChildProcess[] {
    return [...this.#terminals];
  }

  /** Ids of the worker folders on the disk. */
  workerIds(): readonly string[] {
    return readdirSync(this.workersDir).filter((name) => isWorkerId(name));
  }

  record(workerId: string): KeeperRecord | null {
    try {
      return readKeeperRecord(readFileSync(join(this.workersDir, workerId, 'keeper.json'), 'utf8'));
    } catch {
      // It has none yet, or its folder was deleted.
      return null;
    }
  }

  /** Those whose keeper or process lives, with their records; a claim names the process that starts one, and no keeper. */
  living(): readonly KeeperRecord[] {
    const alive = new Set(markedProcesses(this.mark).map(({ pid }) => pid));
    const records = this.workerIds().map((id) => this.record(id));
    return records
      .filter((record) => record !== null)
      .filter((record) => !isKeeperClaim(record))
      .filter(({ keeper, process: worker }) => alive.has(keeper.pid) || alive.has(worker?.pid ?? -1));
  }

  leaderPid(): number | null {
    return this.observer.getSnapshot().leader?.pid ?? null;
  }

  freeze(pid: number, ms: number): void {
    if (this.#frozen.has(pid) || !this.isAlive(pid)) {
      return;
    }
    signal(pid, 'SIGSTOP');
    this.#frozen.set(
      pid,
      setTimeout(() => {
        this.#thaw(pid);
      }, ms),
    );
  }

  /** Ends a process of this round; a number that belongs to somebody else by now is left alone. */
  kill(pid: number): void {
    if (this.isAlive(pid)) {
      signal(pid, 'SIGKILL');
    }
  }

  /** Whether a process of this round has this number. */
  isAlive(pid: number): boolean {
    return markedProcesses(this.mark).some((one) => one.pid === pid);
  }

  thawAll(): void {
    for (const pid of [...this.#frozen.keys()]) {
      this.#thaw(pid);
    }
  }

  get canFillDisk(): boolean {
    return this.#isMounted;
  }

  fillDisk(): void {
    // Ends with an error, which is the point.
    execFileSync('sh', ['-c', `cat /dev/zero > '${this.ballast}' 2>/dev/null || true`]);
  }

  freeDisk(): void {
    rmSync(this.ballast, { force: true });
  }

  get ballast(): string {
    return join(this.root, 'ballast');
  }

  /** Ends everything and removes everything, whatever state it is in. */
  async close(): Promise<void> {
    this.thawAll();
    await this.observer.shutdown();
    await endMarked(this.mark);
    if (this.#isMounted) {
      execFileSync('umount', ['-l', this.root]);
    }
    rmSync(this.#parent, { recursive: true, force: true });
  }

  #thaw(pid: number): void {
    clearTimeout(this.#frozen.get(pid));
    this.#frozen.delete(pid);
    if (this.isAlive(pid)) {
      signal(pid, 'SIGCONT');
    }
  }

  #answers(): { started(id: string): void; stopped(id: string): void } {
    return {
      started: (id) => {
        this.started.add(id);
      },
      stopped: (id) => {
        this.stopped.add(id);
      },
    };
  }
}

function workersJson(fixtures: string, starts: string, maxConcurrent: number): string {
  const kinds = KINDS.map((kind) => [kind, [process.execPath, join(fixtures, 'chaos.mjs'), kind]] as const);
  const sleeper = [FLEET_TYPE, ['/bin/sh', join(fixtures, 'sleeper.sh')]] as const;
  const types = [...kinds, sleeper].map(([name, command]) => [
    name,
    { description: `chaos: ${name}`, command, graceSeconds: 1, env: { CHAOS_STARTS: starts } },
  ]);
  return JSON.stringify({ version: 1, maxConcurrent, types: Object.fromEntries(types) });
}
