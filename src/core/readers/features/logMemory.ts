import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Gate } from '../../base/gate';
import { newestOf } from '../../protocol/features/instant';
import { type LogActivity, readLogActivity } from '../../protocol/features/workerLog';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** How much of a log's end is read when it is first seen. */
const TAIL_BYTES = 512 * 1024;

interface KnownLog {
  readonly ino: number;
  /** Everything before this was read; it is the begin of a line. */
  readonly offset: number;
  readonly activity: LogActivity;
}

/** Knows when each worker's JSONL log last spoke of each feature, and reads only what was added since. */
export class LogMemory {
  readonly #known = new Map<string, KnownLog>();
  readonly #gate: Gate;

  /** Each log that is open takes a place at the `gate`. */
  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Empty for a log that is not there, no regular file, or may not be read. */
  async activityOf(path: string): Promise<LogActivity> {
    return await this.#gate.run(async () => this.#opened(path));
  }

  async #opened(path: string): Promise<LogActivity> {
    const file = await open(path, FLAGS).catch(() => null);
    if (file === null) {
      this.#known.delete(path);
      return new Map();
    }
    try {
      return await this.#read(path, file);
    } finally {
      await file.close();
    }
  }

  async #read(path: string, file: FileHandle): Promise<LogActivity> {
    const stat = await file.stat();
    const { ino, size } = stat;
    if (!stat.isFile()) {
      return new Map();
    }
    const before = this.#known.get(path);
    // Another file behind the name, or one that was cut, begins anew.
    const known = before?.ino === ino && before.offset <= size ? before : null;
    const from = Math.max(known?.offset ?? 0, size - TAIL_BYTES);
    if (from === size && known !== null) {
      return known.activity;
    }
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    const activity = joined(known?.activity ?? new Map(), readLogActivity(buffer.toString('utf8', 0, bytesRead)));
    this.#known.set(path, { ino, offset: from + end, activity });
    return activity;
  }
}

/** The newest of both for each feature. */
export function joined(one: LogActivity, other: LogActivity): LogActivity {
  const all = new Map(one);
  for (const [feature, at] of other) {
    all.set(feature, newestOf([at, all.get(feature) ?? null]) ?? at);
  }
  return all;
}
