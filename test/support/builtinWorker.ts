import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** How a builtin worker is started. */
export interface BuiltinOrder {
  /** The bundled worker. */
  readonly script: string;
  readonly root: string;
  readonly type: string;
  readonly id: string;
  readonly paceMs?: number;
}

/** A started worker; `ended` resolves with its exit code and all that it wrote. */
export interface BuiltinRun {
  readonly folder: string;
  readonly ended: Promise<{ readonly code: number | null; readonly log: string; readonly errors: string }>;
}

/** Starts a builtin worker as a process of its own, which is ended with the test at the latest. */
export async function startBuiltin({ script, root, type, id, paceMs = 0 }: BuiltinOrder): Promise<BuiltinRun> {
  const folder = join(root, '.keysarium/workers', id);
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, [script, '--type', type, '--id', id, '--root', root, '--folder', folder], {
    cwd: root,
    env: { PATH: process.env['PATH'], ROLLCALL_PACE_MS: `${paceMs}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(([[code], log, errors]) => ({
    code,
    log,
    errors,
  }));
  return { folder, ended };
}

/** The worker's status.json as it is now. */
export async function readStatus(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, 'status.json'), 'utf8')) as Record<string, unknown>;
}

/** Every distinct status.json that a reader sees until the worker has ended; each read must find a whole document. */
export async function watchStatus({ folder, ended }: BuiltinRun): Promise<readonly Record<string, unknown>[]> {
  const seen: string[] = [];
  const worker = { alive: true };
  void ended.finally(() => {
    worker.alive = false;
  });
  for (;;) {
    const wasAlive = worker.alive;
    const now = await readFile(join(folder, 'status.json'), 'utf8').catch(() => '');
    if (now !== '' && now !== seen.at(-1)) {
      seen.push(now);
    }
    if (!wasAlive) {
      return seen.map((document) => JSON.parse(document) as Record<string, unknown>);
    }
  }
}
