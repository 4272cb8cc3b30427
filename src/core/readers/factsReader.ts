import * as fs from 'node:fs';
import { sep } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, delay } from '../base/clock';
import type { KeeperFacts, StatusReading, WorkerFacts } from '../protocol/workerFacts';
import type { RegistryEntry, StatusDocument } from '../protocol/workers/registryEntry';
import { readStatusDocument, STATUS_MAX_BYTES } from '../protocol/workers/statusDocument';
import { isTerminal } from '../protocol/workers/statusWord';
import { type BoundedText, readBounded } from '../system/boundedRead';
import { livenessOf } from '../system/processIdentity';
import { ABSENT, hasEnded, keyOf, livenessOfRecord, noKeeper, readKeeper } from './keeperFile';

// Cheaper than those of node:fs/promises, which tells with a thousand workers.
const lstat = promisify(fs.lstat);
const readdir = promisify(fs.readdir);

const TORN_RETRY_MS = 50;
const OUTPUTS_SHOWN = 100;

/** A row of the registry as the reader needs it. */
export interface FactsRequest {
  readonly entry: RegistryEntry;
  readonly folder: string;
  /** When the folder itself last changed; null where there is no real folder. */
  readonly folderChangedAt: number | null;
  /** False for a folder that must not be looked into, e.g. a link out of the project. */
  readonly safe: boolean;
  /** Why the registry's row itself is bad, or null. */
  readonly rowProblem: string | null;
}

/** What tells cheaply that a worker's facts cannot be true any more. */
interface Seal {
  readonly folderChangedAt: number;
  readonly statusKey: string;
  readonly keeperKey: string;
}

/**
 * Two changes within the resolution of a file system's clock (up to two seconds) may look like one, so what has only
 * just been written is never taken for unchanged.
 */
const COARSEST_CLOCK_MS = 2_000;

/**
 * Gathers what the files and the machine say about workers. It writes nothing, never throws for bad content, and
 * remembers the last readable status of each worker so that a torn file hides nothing (workers.md §4.11).
 */
export class FactsReader {
  readonly #clock: Clock;
  readonly #lastGood = new Map<string, StatusDocument>();
  readonly #seals = new Map<string, Seal>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads one worker's folder. A folder that is missing or a link is told as such, not as an error. */
  async read(request: FactsRequest): Promise<WorkerFacts> {
    const { entry, folder, rowProblem } = request;
    if (!request.safe) {
      return { ...nothingKnown, entry, folder, logFile: inside(folder, 'worker.log'), rowProblem };
    }
    const present = await namesIn(folder);
    const [status, keeper, outputs] = await Promise.all([
      present.has('status.json') ? this.#status(entry.worker_id, folder) : noStatus,
      present.has('keeper.json') ? readKeeper(folder) : noKeeper,
      present.has('output') ? outputNames(folder) : [],
    ]);
    const times = await Promise.all(
      timedNames(status.reading, keeper.facts)
        .filter((name) => present.has(name))
        .map(async (name) => mtimeOf(inside(folder, name))),
    );
    const facts = {
      entry,
      folder,
      logFile: inside(folder, 'worker.log'),
      folderExists: request.folderChangedAt !== null,
      status: status.reading,
      stopFlagAt: present.has('stop-requested') ? await mtimeOf(inside(folder, 'stop-requested')) : null,
      keeper: keeper.facts,
      keeperProblem: keeper.problem,
      newestMtimeMs: newest(request.folderChangedAt, mtimeOfStatus(status.reading), ...times),
      outputs,
      rowProblem,
    };
    this.#seal(facts, request.folderChangedAt, { statusKey: status.key, keeperKey: keeper.key });
    return facts;
  }

  /**
   * Whether what was read last is true still, as far as a few quick looks tell: no entry of the folder came, went or
   * was replaced, status and record are the same files, and the processes live or not as before. A log or an output
   * file that only grew is not seen. `folderChangedAt` is the folder's time now.
   */
  async isUnchanged({ entry, folder, keeper }: WorkerFacts, folderChangedAt: number | null): Promise<boolean> {
    const seal = this.#seals.get(entry.worker_id);
    if (seal === undefined || seal.folderChangedAt !== folderChangedAt) {
      return false;
    }
    const { statusKey, keeperKey } = seal;
    const isOpen = keeper !== null && !hasEnded(keeper.record);
    const [status, record] = await Promise.all([
      statusKey === ABSENT ? ABSENT : keyAt(inside(folder, 'status.json')),
      isOpen ? keyAt(inside(folder, 'keeper.json')) : keeperKey,
    ]);
    return status === statusKey && record === keeperKey && (keeper === null || (await livesAsBefore(keeper)));
  }

  /** Whether its files were quiet when they were read, and its processes live or not as they did then. Asks no disk. */
  async livesAsSealed({ entry, keeper }: WorkerFacts): Promise<boolean> {
    return this.#seals.has(entry.worker_id) && (keeper === null || (await livesAsBefore(keeper)));
  }

  /** Forgets workers that are no longer in the registry. */
  retain(workers: ReadonlyMap<string, unknown>): void {
    for (const memory of [this.#lastGood, this.#seals]) {
      for (const id of [...memory.keys()].filter((known) => !workers.has(known))) {
        memory.delete(id);
      }
    }
  }

  /** What has trouble, or was written a moment ago, gets no seal and is read again next time. */
  #seal(facts: WorkerFacts, folderChangedAt: number | null, keys: Omit<Seal, 'folderChangedAt'>): void {
    const { entry, status, keeper, keeperProblem } = facts;
    const written = newest(folderChangedAt, mtimeOfStatus(status), keeper?.mtimeMs ?? null);
    const quiet = written !== null && Math.abs(this.#clock.now() - written) > COARSEST_CLOCK_MS;
    if (folderChangedAt !== null && quiet && status.kind !== 'unreadable' && keeperProblem === null) {
      this.#seals.set(entry.worker_id, { folderChangedAt, ...keys });
    } else {
      this.#seals.delete(entry.worker_id);
    }
  }

  async #status(workerId: string, folder: string): Promise<StatusFile> {
    const first = await this.#statusOnce(workerId, folder);
    if (first.reading.kind !== 'unreadable') {
      return first;
    }
    // A writer that does not rename may be in the middle of the document: look once more (workers.md §4.11).
    await delay(this.#clock, TORN_RETRY_MS);
    return await this.#statusOnce(workerId, folder);
  }

  async #statusOnce(workerId: string, folder: string): Promise<StatusFile> {
    const file = await readBounded(inside(folder, 'status.json'), STATUS_MAX_BYTES);
    return { reading: this.#interpret(workerId, file), key: file.kind === 'ok' ? keyOf(file) : ABSENT };
  }

  #interpret(workerId: string, file: BoundedText): StatusReading {
    if (file.kind === 'absent') {
      return { kind: 'absent' };
    }
    const lastGood = this.#lastGood.get(workerId) ?? null;
    if (file.kind !== 'ok') {
      return { kind: 'unreadable', reason: unreadableReason(file), lastGood, mtimeMs: null };
    }
    const parsed = readStatusDocument(file.text);
    if (!parsed.ok) {
      return { kind: 'unreadable', reason: parsed.error, lastGood, mtimeMs: file.mtimeMs };
    }
    this.#lastGood.set(workerId, parsed.value);
    return { kind: 'ok', document: parsed.value, mtimeMs: file.mtimeMs };
  }
}

const nothingKnown: Omit<WorkerFacts, 'entry' | 'folder' | 'logFile' | 'rowProblem'> = {
  folderExists: false,
  status: { kind: 'absent' },
  stopFlagAt: null,
  keeper: null,
  keeperProblem: null,
  newestMtimeMs: null,
  outputs: [],
};

function unreadableReason(file: Exclude<BoundedText, { kind: 'ok' } | { kind: 'absent' }>): string {
  switch (file.kind) {
    case 'too-large':
      return `status.json is ${String(Math.ceil(file.size / 1024))} KiB, more than the 64 KiB that are read`;
    case 'not-a-file':
      return 'status.json is not a regular file';
    case 'unreadable':
      return `status.json cannot be read (${file.code})`;
  }
}

/** The path of an entry; `join` would take both apart again, some thousand times per look. */
function inside(folder: string, name: string): string {
  return `${folder}${sep}${name}`;
}

/** The names in a worker's folder. None where there is no such folder, or this user may not look into it. */
async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(folder).catch(() => []));
}

interface StatusFile {
  readonly reading: StatusReading;
  readonly key: string;
}

const noStatus: StatusFile = { reading: { kind: 'absent' }, key: ABSENT };

async function keyAt(path: string): Promise<string> {
  return await lstat(path).then(keyOf, () => ABSENT);
}

/** A keeper that lives tells of its worker's end by itself, so its own life is all that has to be looked at. */
async function livesAsBefore({ record, keeper, process }: KeeperFacts): Promise<boolean> {
  if (keeper === 'alive') {
    return (await livenessOf(record.keeper)) === 'alive';
  }
  const now = await livenessOfRecord(record);
  return now.keeper === keeper && now.process === process;
}

/**
 * The entries whose own time tells that a worker lives. One that has ended needs none: its last word is in status.json,
 * or its keeper replaced the record as its last act, which changes the folder.
 */
function timedNames(status: StatusReading, keeper: KeeperFacts | null): readonly string[] {
  const ended = keeper === null ? status.kind === 'ok' && isTerminal(status.document.status) : hasEnded(keeper.record);
  return ended ? [] : ['output', 'error.log', 'worker.log', 'output.raw'];
}

function mtimeOfStatus(status: StatusReading): number | null {
  return status.kind === 'absent' ? null : status.mtimeMs;
}

function newest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

async function mtimeOf(path: string): Promise<number | null> {
  const stat = await lstat(path).catch(() => null);
  return stat?.mtimeMs ?? null;
}

async function outputNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(inside(folder, 'output'), { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  return files.sort().slice(0, OUTPUTS_SHOWN);
}
