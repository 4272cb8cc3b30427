import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, vi } from 'vitest';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import type { EngineCommand, KeeperReady, KeeperSpec } from '../../src/core/protocol/keeper/keeperSpec';
import type { WorkerProcess } from '../../src/core/protocol/keeper/processIdentity';
import { connectControl, type ControlClient } from '../../src/core/system/controlClient';
import { livenessOf } from '../../src/core/system/processIdentity';
import { ProcessTree } from '../../src/core/system/processTree';
import { treeMarker } from '../../src/keeper/treeMarker';
import { bundledProgram } from './bundledProgram';

export const WORKER_ID = 'wkr-20260301-143022-health-check';

/** Absolute path of a fixture worker. */
export function fixtureWorker(name: string): string {
  return fileURLToPath(new URL(`../fixtures/workers/${name}`, import.meta.url));
}

/** A keeper that was started by a test, and what it said. */
export interface KeeperUnderTest {
  readonly pid: number;
  readonly ready: KeeperReady;
  /** Exit code of the keeper itself. */
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

/** A folder for one worker, and real keepers for it. Everything that was started is ended behind each test. */
export class KeeperRig {
  readonly #program: { readonly path: () => string };
  readonly #children: ChildProcess[] = [];
  readonly #clients: ControlClient[] = [];
  /** Outside the root: the path of a socket is limited. */
  readonly runtimeDir = join(tmpdir(), `rollcall-test-${process.pid}`);
  root = '';

  constructor(program: { readonly path: () => string }) {
    this.#program = program;
  }

  get folder(): string {
    return join(this.root, '.keysarium/workers', WORKER_ID);
  }

  prepare(): void {
    // Odd characters, as real projects have them.
    this.root = mkdtempSync(join(tmpdir(), 'rollcall köln 🚂 '));
    mkdirSync(this.folder, { recursive: true });
  }

  async cleanUp(): Promise<void> {
    this.#clients.splice(0).forEach((client) => {
      client.dispose();
    });
    for (const child of this.#children.splice(0)) {
      await killChild(child);
    }
    const process = (await this.record())?.process ?? null;
    await endTree(process ?? { pid: 2 ** 30, pgid: 2 ** 30, startTime: 'none' }, this.folder);
    rmSync(this.root, { recursive: true, force: true });
    rmSync(this.runtimeDir, { recursive: true, force: true });
  }

  spec(change: Partial<KeeperSpec> = {}, command: Partial<EngineCommand> = {}): KeeperSpec {
    return {
      v: 1,
      workerId: WORKER_ID,
      type: 'health-check',
      root: this.root,
      folder: this.folder,
      nonce: randomBytes(16).toString('hex'),
      epoch: 1,
      startedAt: '2026-03-01T14:30:22Z',
      command: {
        command: process.execPath,
        args: [],
        env: { PATH: process.env['PATH'] ?? '' },
        cwd: this.root,
        stdin: null,
        ...command,
      },
      secrets: [],
      graceMs: 60_000,
      termGraceMs: 60_000,
      limits: { rawBytes: 50_000_000, logBytes: 50_000_000, logFiles: 3 },
      runtimeDir: this.runtimeDir,
      adopt: null,
      ...change,
    };
  }

  /** Starts a keeper on this spec, or on any other text. */
  async start(input: KeeperSpec | string): Promise<KeeperUnderTest> {
    const child = spawn(process.execPath, [this.#program.path()], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    const ended = once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null));
    const said = text(child.stdout);
    child.stdin.end(typeof input === 'string' ? input : `${JSON.stringify(input)}\n`);
    const kill = async (): Promise<void> => {
      await killChild(child);
    };
    return { pid: child.pid ?? 0, ready: JSON.parse(await said) as KeeperReady, ended, kill };
  }

  /** Starts a keeper that runs a shell script. */
  async shell(script: string, change: Partial<KeeperSpec> = {}): Promise<KeeperUnderTest> {
    return await this.start(this.spec(change, { command: 'sh', args: ['-c', script] }));
  }

  /** Starts a keeper that runs a fixture worker. */
  async worker(name: string, args: readonly string[], change: Partial<KeeperSpec> = {}): Promise<KeeperUnderTest> {
    return await this.start(this.spec(change, { args: [fixtureWorker(name), ...args] }));
  }

  async record(): Promise<KeeperRecord | null> {
    try {
      return readKeeperRecord(await readFile(join(this.folder, 'keeper.json'), 'utf8'));
    } catch {
      // No keeper got so far, or the test removed the folder.
      return null;
    }
  }

  /** The record, which must be there. */
  async mustRecord(): Promise<KeeperRecord> {
    const record = await this.record();
    if (record === null) {
      throw new Error('there is no readable keeper.json');
    }
    return record;
  }

  /** What the worker's process was, which must be known. */
  async mustProcess(): Promise<WorkerProcess> {
    const { process } = await this.mustRecord();
    if (process === null) {
      throw new Error('the record names no process');
    }
    return process;
  }

  async connect(epoch = 1): Promise<ControlClient> {
    const { endpoint, nonce } = await this.mustRecord();
    const client = await connectControl({ endpoint, nonce, epoch });
    this.#clients.push(client);
    return client;
  }

  async read(name: string): Promise<string> {
    return await readFile(join(this.folder, name), 'utf8');
  }

  async status(): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await this.read('status.json')) as Readonly<Record<string, unknown>>;
  }

  async logHolds(piece: string): Promise<void> {
    await eventually(async () => {
      if (!(await this.read('worker.log')).includes(piece)) {
        throw new Error(`worker.log does not hold ${piece}`);
      }
    });
  }
}

/** A fresh rig for each test of the file. */
export function useKeepers(): KeeperRig {
  const rig = new KeeperRig(bundledProgram('src/keeper/main.ts'));
  beforeEach(() => {
    rig.prepare();
  });
  afterEach(async () => {
    await rig.cleanUp();
  });
  return rig;
}

/** Waits until the check no longer throws. */
export async function eventually<T>(check: () => Promise<T>): Promise<T> {
  return await vi.waitFor(check, { timeout: 60_000, interval: 20 });
}

/** Waits until this very process is gone. */
export async function untilGone(process: WorkerProcess): Promise<void> {
  await eventually(async () => {
    if ((await livenessOf(process)) !== 'dead') {
      throw new Error(`process ${process.pid} still lives`);
    }
  });
}

async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

async function endTree(process: WorkerProcess, folder: string): Promise<void> {
  const tree = new ProcessTree(process, treeMarker(WORKER_ID, folder));
  await eventually(async () => {
    if ((await tree.signal('SIGKILL')) > 0) {
      throw new Error('some of the tree still live');
    }
  });
}
