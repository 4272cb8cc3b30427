import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fail, ok, type Result } from '../base/result';
import { findProgram } from './findProgram';

/** Why a lock was not taken: there is no `flock(1)`, another program kept it for the whole wait, or it cannot work here. */
export type FlockFailure =
  | { readonly kind: 'no-flock' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly reason: string };

export interface FlockOptions {
  /** Folders to find `flock` in, as in PATH. */
  readonly searchPath: string;
  /** How long to wait for another holder, milliseconds. */
  readonly waitMs: number;
}

const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;

/**
 * Runs `job` while this process holds the file's `flock(2)`, the lock that Python's `fcntl.flock` takes. Node cannot
 * take it, but a lock belongs to an open file and not to a process: `flock(1)` locks the descriptor that it inherits and
 * ends, and the lock stays with ours until it is closed, by us or by the death of this process. The file is made where
 * it is missing and never removed. Rejects with what `job` throws or with the error of opening the file.
 */
export async function withFlock<T>(
  path: string,
  job: () => Promise<T>,
  options: FlockOptions,
): Promise<Result<T, FlockFailure>> {
  const program = await findProgram('flock', options.searchPath, '/');
  if (!program.found || process.platform === 'win32') {
    return fail({ kind: 'no-flock' });
  }
  const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o666);
  try {
    const failure = await lock(program.path, file, options.waitMs);
    return failure === null ? ok(await job()) : fail(failure);
  } finally {
    await file.close();
  }
}

/** Asks for no wait of flock's own: not every build of it can count. */
async function lock(program: string, file: FileHandle, waitMs: number): Promise<FlockFailure | null> {
  return await new Promise((resolve) => {
    const child = spawn(program, ['-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', file.fd], timeout: waitMs });
    let said = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString()).slice(0, 500);
    });
    child.once('error', (error) => {
      resolve({ kind: 'failed', reason: error.message });
    });
    child.once('close', (code, signal) => {
      resolve(signal === null ? failureOf(code, said) : { kind: 'timeout' });
    });
  });
}

function failureOf(code: number | null, said: string): FlockFailure | null {
  return code === 0 ? null : { kind: 'failed', reason: said.trim() === '' ? `flock ended with ${code}` : said.trim() };
}
