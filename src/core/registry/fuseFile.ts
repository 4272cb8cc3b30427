import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { RandomHex } from '../base/randomId';
import { ok, fail, type Result } from '../base/result';
import {
  formatFuseDocument,
  FUSES_MAX_BYTES,
  type LogsFuseRecord,
  readFuseDocument,
  wholeFuse,
} from '../protocol/workers/fuseDocument';
import { writeFileAtomic } from '../system/atomicFile';
import { readBounded } from '../system/boundedRead';
import { withFileLock } from '../system/fileLock';
import { type RegistryRefusal, refusalOf } from './registryRefusal';

const LOCK_WAIT_MS = 5_000;

export interface FuseFileOptions {
  readonly workersDir: string;
  readonly clock: Clock;
  readonly randomHex: RandomHex;
}

/** `fuses.json` beside the registry: the fuse for all logs together. The leader blows it, whoever resets it has its lock. */
export interface FuseFile {
  /** A whole fuse where there is no such file or it is not ours. */
  read(): Promise<LogsFuseRecord>;
  /** Gives what `change` made of the record. The file is written only where that differs. */
  update(change: (record: LogsFuseRecord) => LogsFuseRecord): Promise<Result<LogsFuseRecord, RegistryRefusal>>;
}

/** Opens the fuse file of a workers folder. Touches no file. */
export function openFuseFile({ workersDir, clock, randomHex }: FuseFileOptions): FuseFile {
  const path = join(workersDir, 'fuses.json');
  const read = async (): Promise<LogsFuseRecord> => {
    const file = await readBounded(path, FUSES_MAX_BYTES);
    return file.kind === 'ok' ? readFuseDocument(file.text) : wholeFuse;
  };
  const changed = async (change: (record: LogsFuseRecord) => LogsFuseRecord): Promise<LogsFuseRecord> => {
    const before = await read();
    const after = change(before);
    if (after !== before) {
      await writeFileAtomic(path, formatFuseDocument(after));
    }
    return after;
  };
  return {
    read,
    update: async (change) => {
      try {
        const lock = { clock, randomHex, waitMs: LOCK_WAIT_MS };
        return ok(await withFileLock(`${path}.lock`, async () => changed(change), lock));
      } catch (error) {
        return fail(refusalOf(error, 'note the fuse of all logs', path));
      }
    },
  };
}
