import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../core/base/clock';
import { errorText } from '../core/base/errorText';
import { SerialQueue } from '../core/base/serialQueue';
import type { KeeperRecord } from '../core/protocol/keeper/keeperRecord';
import { writeFileAtomic } from '../core/system/atomicFile';
import { overwriteFile, withRoom } from '../core/system/overwriteFile';
import { untilDiskTakes } from './untilDiskTakes';

export interface RecordStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Hears once per spell of trouble why the record could not be written. */
  readonly onTrouble: (reason: string) => void;
}

/** The keeper's own memory, `keeper.json`: what is known now, and its way to the disk, one write after another. */
export class RecordStore {
  readonly #options: RecordStoreOptions;
  readonly #queue = new SerialQueue();
  #record: KeeperRecord;
  /** What the file looked like when it was last written here; null before that. */
  #written: string | null = null;
  #touched = false;
  /** While a sandbox protects the file that was there when it started, this very file must stay. */
  #isSealed: boolean;
  #inTrouble = false;
  #retrying = false;

  constructor(record: KeeperRecord, options: RecordStoreOptions) {
    this.#record = record;
    this.#isSealed = record.isolation?.level === 'sandbox' || record.isolation?.level === 'container';
    this.#options = options;
  }

  get record(): KeeperRecord {
    return this.#record;
  }

  /** Writes the record for the first time; rejects when the disk refuses, because then nothing may be started. */
  async create(): Promise<void> {
    await this.#queue.run(async () => {
      const text = textOf(this.#record);
      await writeFileAtomic(this.#options.path, this.#isSealed ? withRoom(text) : text, { fsync: true });
      this.#written = await printOf(this.#options.path);
    });
  }

  /**
   * Changes the record and writes it. A disk that refuses does not stop the keeper: it goes on and tries again every
   * second. True when the record is on the disk.
   */
  async update(change: Partial<KeeperRecord>): Promise<boolean> {
    this.#record = { ...this.#record, ...change };
    const written = await this.#write(false);
    if (!written && !this.#retrying) {
      this.#retrying = true;
      void this.settle().finally(() => {
        this.#retrying = false;
      });
    }
    return written;
  }

  /** Changes the record and resolves once it is safe on the disk, or once its folder is gone. */
  async settle(change: Partial<KeeperRecord> = {}): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await untilDiskTakes(dirname(this.#options.path), this.#options.clock, async () => await this.#write(true));
  }

  /** Writes the record again where somebody else changed or removed it. Rejects when the disk refuses. */
  async mend(): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#written !== null && (await printOf(this.#options.path)) !== this.#written) {
        await this.#put(textOf(this.#record), false);
      }
    });
  }

  /** Whether somebody else has written to the record since it was made. */
  async isTouched(): Promise<boolean> {
    await this.#queue.run(async () => this.#lookForOthers());
    return this.#touched;
  }

  async #lookForOthers(): Promise<void> {
    this.#touched ||= this.#written !== null && (await printOf(this.#options.path)) !== this.#written;
  }

  /** The sandbox is gone: from now on the record's file may be replaced. */
  unseal(): void {
    this.#isSealed = false;
  }

  async #put(text: string, fsync: boolean): Promise<void> {
    await this.#lookForOthers();
    // A file that somebody removed from outside is protected no more, and is made again.
    await (this.#isSealed && existsSync(this.#options.path)
      ? overwriteFile(this.#options.path, text, { fsync })
      : writeFileAtomic(this.#options.path, text, { fsync }));
    this.#written = await printOf(this.#options.path);
  }

  async #write(fsync: boolean): Promise<boolean> {
    return await this.#queue.run(async () => {
      try {
        await this.#put(textOf(this.#record), fsync);
        this.#inTrouble = false;
        return true;
      } catch (error) {
        if (!this.#inTrouble) {
          this.#inTrouble = true;
          this.#options.onTrouble(errorText(error));
        }
        return false;
      }
    });
  }
}

function textOf(record: KeeperRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Changes with every write to the file; empty where there is none. */
async function printOf(path: string): Promise<string> {
  const stat = await lstat(path, { bigint: true }).catch(() => null);
  return stat === null ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}
