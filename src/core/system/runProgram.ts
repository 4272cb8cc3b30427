import { execFile } from 'node:child_process';
import { errorCode } from '../base/errorText';

/** How a program ended. */
export interface ProgramRun {
  /** Null where it could not be started, took too long or said too much. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why there is no code, or null. */
  readonly trouble: string | null;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a program to its end, without a shell. A failure is an answer; never rejects. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env }: ProgramOptions,
): Promise<ProgramRun> {
  const options = { cwd, env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
  return await new Promise((resolve) => {
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr, trouble: code === null ? (errorCode(error) ?? 'it took too long') : null });
    });
    child.stdin?.end();
  });
}
