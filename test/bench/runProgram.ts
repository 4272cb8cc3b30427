import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ProgramRun {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a Node program to its end and gives what it printed; rejects with its words when it fails. */
export async function runProgram(
  args: readonly string[],
  { cwd, env = process.env }: ProgramRun = {},
): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) {
    throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}${stdout}`);
  }
  return stdout;
}

/** The one JSON document that a program of ours prints. */
export async function runForJson<T>(script: string, args: readonly string[]): Promise<T> {
  return JSON.parse(await runProgram([script, ...args])) as T;
}
