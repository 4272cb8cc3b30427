import { readdir } from 'node:fs/promises';
import type { Clock } from '../../base/clock';
import { errorCode } from '../../base/errorText';
import { Gate } from '../../base/gate';
import type { LogActivity } from '../../protocol/features/workerLog';
import { LogMemory } from './logMemory';
import { shownPath } from './projectPlaces';
import { readTrouble } from './readTrouble';
import { type FileOrder, type FileReading, SealedFiles } from './sealedFiles';

/** Open files are few for a process, and a run may have thousands. */
const FILES_AT_ONCE = 32;

export interface FileTellerOptions {
  readonly root: string;
  readonly home: string | null;
  readonly clock: Clock;
}

/** What a look found of one file that is there. */
export interface ToldFile<T> {
  /** As it is shown. */
  readonly path: string;
  /** Null where it cannot be read. */
  readonly value: T | null;
  /** Epoch milliseconds. */
  readonly mtimeMs: number;
}

/** Reads a look's files and keeps a sentence for each that is there and cannot be read. */
export class FileTeller {
  readonly #options: FileTellerOptions;
  readonly #files: SealedFiles;
  readonly #logs: LogMemory;
  #diagnostics: string[] = [];

  constructor(options: FileTellerOptions) {
    this.#options = options;
    const gate = new Gate(FILES_AT_ONCE);
    this.#files = new SealedFiles(options.clock, gate);
    this.#logs = new LogMemory(gate);
  }

  /** Null where there is no such file. */
  async tell<T>(order: FileOrder<T>): Promise<ToldFile<T> | null> {
    const reading = await this.look(order);
    const path = this.shown(order.path);
    switch (reading.kind) {
      case 'absent':
        return null;
      case 'ok':
        return { path, value: reading.value, mtimeMs: reading.mtimeMs };
      case 'unreadable':
        this.note(`${path}: unreadable (${reading.reason})`);
        return { path, value: null, mtimeMs: reading.mtimeMs };
    }
  }

  /** As `tell`, without a sentence. */
  async look<T>(order: FileOrder<T>): Promise<FileReading<T>> {
    return await this.#files.read(order);
  }

  async logActivity(path: string): Promise<LogActivity> {
    return await this.#logs.activityOf(path);
  }

  note(sentence: string): void {
    this.#diagnostics.push(sentence);
  }

  /** Keeps a sentence for a folder that is there and cannot be listed, because it would be taken for an empty one. */
  async noteUnlisted(folder: string): Promise<void> {
    const code = await readdir(folder).then(() => undefined, errorCode);
    if (code !== undefined && code !== 'ENOENT') {
      this.note(`${this.shown(folder)}: unreadable (${readTrouble(code)})`);
    }
  }

  shown(path: string): string {
    const { root, home } = this.#options;
    return shownPath(root, home, path);
  }

  /** The sentences of this look; it ends here, and what it did not ask for is forgotten. */
  takeDiagnostics(): readonly string[] {
    const taken = this.#diagnostics.sort();
    this.#diagnostics = [];
    this.#files.forgetUnasked();
    return taken;
  }
}
