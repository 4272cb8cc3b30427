import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findRoot } from '../core/host/findRoot';
import type { GlobalOptions } from './cliContext';
import { UsageError } from './usageError';

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError('The folder of this terminal is gone. Change into one that exists, or name one with --cwd.');
  }
}

/** The root of the project that `--cwd` or the current folder belongs to. Rejects with `UsageError` for no folder. */
export async function projectRoot(options: GlobalOptions): Promise<string> {
  const start = resolve(options.cwd ?? currentFolder());
  const found = await stat(start).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw new UsageError(`--cwd ${start} is not a folder. Give an existing one.`);
  }
  return await findRoot(start);
}
