import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { SandboxPlace } from '../core/protocol/keeper/isolationOrder';
import { readBounded } from '../core/system/boundedRead';
import { sandboxBoxOf, type SandboxBox } from '../core/system/sandboxBox';
import { MadeFolders } from './madeFolders';
import type { ProcessEnd } from './startProcess';

/** What surrounds one sandboxed run: its private folder, and the folders that were made for it. */
export class SandboxRun {
  readonly #box: SandboxBox;
  readonly #made = new MadeFolders();

  constructor(runtimeDir: string, workerFolder: string) {
    this.#box = sandboxBoxOf(runtimeDir, workerFolder);
  }

  /** Makes what the sandbox needs to be there before it starts. Rejects when the disk refuses. */
  async prepare(place: SandboxPlace): Promise<void> {
    await rm(this.#box.folder, { recursive: true, force: true });
    await mkdir(this.#box.folder, { mode: 0o700 });
    await mkdir(this.#box.serviceFolder, { mode: 0o700 });
    await writeFile(place.settingsFile, place.settings, { mode: 0o600, flag: 'wx' });
    await this.#made.ensure(place.writable);
  }

  /**
   * How the worker itself ended. Its exit code is what it left in the box; without that something ended the sandbox from
   * outside, and then its program's 0 after a SIGTERM says nothing.
   */
  async endOf(end: ProcessEnd): Promise<ProcessEnd> {
    const file = await readBounded(this.#box.exitFile, 16);
    const code = file.kind === 'ok' && /^\d{1,3}$/.test(file.text) ? Number(file.text) : null;
    return insideEnd(end, code);
  }

  /** Removes the box with all that is in it, and folders that were made for the worker and that it left empty. */
  async remove(): Promise<void> {
    await rm(this.#box.folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {
      // A temp folder that cannot be emptied is no reason to keep the end of the worker from being recorded.
    });
    await this.#made.removeEmpty();
  }
}

const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
};

/**
 * The end of a sandboxed worker from the end of the sandbox and the worker's exit code as its shell knew it (null when
 * it did not come so far). A shell tells a signal as 128 and its number.
 */
export function insideEnd(outside: ProcessEnd, inside: number | null): ProcessEnd {
  if (inside === null) {
    return outside.code === 0 ? { code: null, signal: 'SIGTERM' } : outside;
  }
  const signal = SIGNALS[inside - 128];
  return signal === undefined ? { code: inside, signal: null } : { code: null, signal };
}
