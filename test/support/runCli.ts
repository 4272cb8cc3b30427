import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { distDir } from './testHost';

/** How a command ended and what it printed. */
export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `rollcall` command that runs, as a real process with pipes. It is killed with the test at the latest. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliRun>;
  /** Resolves once stdout holds `text`; rejects when the command ends without it. */
  printed(text: string): Promise<void>;
}

/** Whose process it is. */
export interface CliOwner {
  readonly env?: NodeJS.ProcessEnv;
  /** Runs it as this user; needs root. */
  readonly uid?: number;
  /** A program with its arguments that runs the command, e.g. with another clock. */
  readonly before?: readonly string[];
}

/** Starts `rollcall <args>` of the last build in `cwd`. */
export function startCli(cwd: string, args: readonly string[], owner: CliOwner = {}): RunningCli {
  const { env = process.env, uid, before = [] } = owner;
  const [program = process.execPath, ...rest] = [...before, process.execPath, join(distDir, 'cli.js'), ...args];
  const child = spawn(program, rest, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let stdout = '';
  let stderr = '';
  const looks = new Set<() => void>();
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
    for (const look of looks) {
      look();
    }
  });
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const ended = new Promise<CliRun>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const printed = async (text: string): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text)) {
          looks.delete(look);
          resolve();
        }
      };
      looks.add(look);
      look();
      void ended.then(() => {
        reject(new Error(`ended without printing ${text}: ${stdout}${stderr}`));
      });
    });
  };
  return { child, ended, printed };
}

/** Runs `rollcall <args>` of the last build in `cwd` to its end. */
export async function runCli(cwd: string, ...args: readonly string[]): Promise<CliRun> {
  return await startCli(cwd, args).ended;
}
