import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { errorCode } from '../core/base/errorText';
import { fail, ok, type Result } from '../core/base/result';
import { classifySpawnError } from '../core/protocol/keeper/exitClass';
import type { ExitClass } from '../core/protocol/keeper/exitRecord';
import type { EngineCommand } from '../core/protocol/keeper/keeperSpec';
import type { WorkerProcess } from '../core/protocol/keeper/processIdentity';
import { findProgram } from '../core/system/findProgram';
import { workerProcessOf } from '../core/system/processIdentity';
import type { ProcessTree } from '../core/system/processTree';

/** How a watched process ended; both null when nobody could see it. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running worker process and its end. */
export type WatchedProcess =
  | {
      readonly process: WorkerProcess;
      readonly ended: Promise<ProcessEnd>;
      /** Open behind the text that it was given; only where that was wanted. */
      readonly stdin?: Writable;
    }
  /** Somebody else starts it, and nobody knows when; `tree` is what a stop acts on. */
  | { readonly process: null; readonly ended: Promise<ProcessEnd>; readonly tree: Tree };

/** What a stop acts on. */
export type Tree = Pick<ProcessTree, 'collect' | 'interrupt' | 'remember' | 'signal'>;

/** Why a process could not be started. The message ends in what the person can do. */
export interface StartRefusal {
  readonly class: ExitClass;
  readonly message: string;
}

/** Whom a process belongs to. */
type StartedKind = 'worker' | 'agent';

export interface StartOptions {
  /** What is started: the worker's own command, or a sandbox around it. */
  readonly command: EngineCommand;
  /** The worker's own command. */
  readonly program: EngineCommand;
  /** What the environment has besides. */
  readonly moreEnv: Readonly<Record<string, string>>;
  /** The worker's folder, for the text on stdin. */
  readonly folder: string;
  /** `output.raw`: stdout and stderr, so that a killed keeper takes neither the worker nor a line with it. */
  readonly outputPath: string;
  /** `NAME=value` by which the tree is recognised later. */
  readonly marker: string;
  /** What texts call the one that is started. */
  readonly kind: StartedKind;
  /** Its stdin stays open behind the text that it is given. */
  readonly keepsStdin: boolean;
}

/** Starts the worker in its own process group, without any shell. */
export async function startProcess(options: StartOptions): Promise<Result<WatchedProcess, StartRefusal>> {
  const { command, program, kind } = options;
  if (statSync(program.cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const message = `The folder ${program.cwd} to run in does not exist. Make it, or correct the ${kind === 'agent' ? "agent's entry" : "worker's type"}.`;
    return fail({ class: 'config', message });
  }
  if (program !== command) {
    // A sandbox would only say 127, like any shell whose program is missing.
    const found = await findProgram(program.command, program.env['PATH'] ?? '', program.cwd);
    if (!found.found) {
      return fail(refusalByCode(found.code, { command: program.command, kind }));
    }
  }
  const opened: number[] = [];
  try {
    const child = spawn(command.command, command.args, {
      cwd: command.cwd,
      env: { ...command.env, ...options.moreEnv, ...markerEnv(options.marker) },
      detached: true,
      windowsHide: true,
      stdio: stdioOf(options, opened),
    });
    // Whoever ends without reading it says so by its exit.
    child.stdin?.on('error', () => undefined);
    child.stdin?.write(command.stdin ?? '');
    return await watchChild(child);
  } catch (error) {
    return fail(refusalOf(error, { command: command.command, kind }));
  } finally {
    opened.forEach(closeSync);
    rmSync(stdinPath(options.folder), { force: true });
  }
}

function stdioOf(options: StartOptions, opened: number[]): StdioOptions {
  const output = openSync(options.outputPath, 'a', 0o600);
  opened.push(output);
  if (options.keepsStdin) {
    return ['pipe', output, output];
  }
  if (options.command.stdin === null) {
    return ['ignore', output, output];
  }
  // A file instead of a pipe: it needs no one to feed it, and ends by itself.
  writeFileSync(stdinPath(options.folder), options.command.stdin, { mode: 0o600 });
  const input = openSync(stdinPath(options.folder), 'r');
  opened.push(input);
  return [input, output, output];
}

function stdinPath(folder: string): string {
  return join(folder, '.stdin');
}

function markerEnv(marker: string): Record<string, string> {
  const equals = marker.indexOf('=');
  return { [marker.slice(0, equals)]: marker.slice(equals + 1) };
}

async function watchChild(child: ChildProcess): Promise<Result<WatchedProcess, StartRefusal>> {
  const ended = once(child, 'exit').then(([code, signal]: unknown[]): ProcessEnd => {
    return {
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
    };
  });
  // `once` also rejects on `error`; that case is the one below.
  ended.catch(() => undefined);
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as unknown[];
    throw error;
  }
  const process = await workerProcessOf(child.pid);
  if (process === null) {
    throw new Error(`process ${child.pid} was not seen after its start`);
  }
  return ok({ process, ended, ...(child.stdin === null ? {} : { stdin: child.stdin }) });
}

/** What could not be started. */
interface Refused {
  readonly command: string;
  readonly kind: StartedKind;
}

function refusalOf(error: unknown, refused: Refused): StartRefusal {
  const code = errorCode(error);
  return refusalByCode(code, refused, code ?? String(error));
}

function refusalByCode(code: string | undefined, { command, kind }: Refused, reason = code ?? ''): StartRefusal {
  if (code === 'ENOENT') {
    const message = `${command} was not found. Install it, or correct the ${kind}'s command.`;
    return { class: classifySpawnError(code), message };
  }
  if (code === 'EACCES') {
    const message = `${command} may not be run. Make it executable, or correct the ${kind}'s command.`;
    return { class: classifySpawnError(code), message };
  }
  const message = `${command} could not be started (${reason}). Correct the ${kind}'s command and try again.`;
  return { class: classifySpawnError(code), message };
}
