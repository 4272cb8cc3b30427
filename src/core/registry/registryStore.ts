import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../base/clock';
import type { RandomHex } from '../base/randomId';
import { fail, ok, type Result } from '../base/result';
import { SerialQueue } from '../base/serialQueue';
import { mergeRegistry } from '../protocol/workers/mergeRegistry';
import {
  emptyRegistryDocument,
  entriesOf,
  formatRegistryDocument,
  type RegistryDocument,
} from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import { removeDeadTemps } from '../system/deadTemps';
import { FileLockTimeout, withFileLock } from '../system/fileLock';
import { ensureWorkersDir, workerPaths } from './paths';
import { listWorkerFolders, rebuildEntry } from './rebuildEntry';
import {
  changeAtOnce,
  keepCorruptCopy,
  lookAtRegistry,
  registryExists,
  replaceRegistry,
  type RegistryLook,
} from './registryFile';
import { refusalOf, type RegistryRefusal } from './registryRefusal';
import { unreadableText, unsupportedText } from './registryTrouble';
import { changeTogether, type RegistryChange, type WaitingChange } from './waitingChanges';

const LOCK_WAIT_MS = 10_000;
const MAX_REDOS = 5;
/** A vanished entry is looked for this long; after that it would be pruned anyway (workers.md §4.8). */
const PUT_BACK_MS = 24 * 60 * 60 * 1000;

export interface RegistryOptions {
  /** Absolute, already checked by `resolveWorkersDir`. */
  readonly workersDir: string;
  readonly clock: Clock;
  readonly randomHex: RandomHex;
  /** For a registry that is made now; an existing one says it itself. */
  readonly maxConcurrent: number;
}

export interface UpdateOptions {
  /** Makes the registry where there is none. Only a start does: a look creates nothing. */
  readonly create: boolean;
}

/** How a corrupt registry was saved. */
export interface RegistryRecovery {
  /** One sentence for the person: what was wrong, where the old file is, how many workers were found again. */
  readonly message: string;
}

export interface RegistryUpdate {
  /** The registry as it stands now; null when there is none and none was to be made. */
  readonly document: RegistryDocument | null;
  readonly recovered: RegistryRecovery | null;
}

/** registry.json of one root: the only reader and writer of that file in this process. */
export interface Registry {
  /** Reads without the lock, writes nothing. */
  read(): Promise<RegistryLook>;
  /**
   * Changes the registry under its lock: re-read, put back what a writer without the lock dropped, change, compare,
   * replace (workers.md §4.10). `change` runs once; those that wait at the same time go into one write, each seeing what
   * the earlier ones did. A corrupt registry is kept aside and rebuilt from the worker folders first; one of an unknown
   * version is never written. Rejects only with what `change` throws.
   */
  update(change: RegistryChange, options: UpdateOptions): Promise<Result<RegistryUpdate, RegistryRefusal>>;
}

/** Opens the registry of a root. Touches no file. */
export function openRegistry(options: RegistryOptions): Registry {
  return new LockedRegistry(options);
}

/** What the disk gave to start from. */
interface Loaded {
  readonly stamp: string;
  /** As it is on the disk, or what takes the place of a corrupt or missing registry. */
  readonly document: RegistryDocument;
  readonly onDisk: boolean;
  /** Why the file on the disk is given up, or null. */
  readonly corruptReason: string | null;
}

type Update = Result<RegistryUpdate, RegistryRefusal>;

class LockedRegistry implements Registry {
  readonly #options: RegistryOptions;
  readonly #path: string;
  /** Entries that this process added, as it last wrote them, so that they can be put back. */
  readonly #added = new Map<string, RegistryEntry>();
  /** Those of this process wait in line; asking for the lock again and again is for those of others. */
  readonly #updates = new SerialQueue();
  #waiting: WaitingChange<Update>[] = [];
  #last: RegistryLook | null = null;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#path = join(options.workersDir, 'registry.json');
  }

  async read(): Promise<RegistryLook> {
    this.#last = await lookAtRegistry(this.#path, this.#options.clock, this.#last);
    return this.#last;
  }

  async update(change: RegistryChange, { create }: UpdateOptions): Promise<Update> {
    const isThere = await registryExists(this.#path);
    const folders = isThere ? [] : await listWorkerFolders(this.#options.workersDir);
    if (!create && !isThere && folders.length === 0) {
      return ok({ document: null, recovered: null });
    }
    const ensured = create ? await ensureWorkersDir(this.#options.workersDir) : ok('');
    return ensured.ok ? await this.#together(change, create || folders.length > 0) : ensured;
  }

  async #together(change: RegistryChange, create: boolean): Promise<Update> {
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ change, create, resolve, reject });
      void this.#updates.run(async () => this.#changeWaiting());
    });
  }

  /** All that wait when the lock is there; nothing is left to do when an earlier turn took them along. */
  async #changeWaiting(): Promise<void> {
    if (this.#waiting.length === 0) {
      return;
    }
    let taken: readonly WaitingChange<Update>[] = [];
    const outcome = await this.#underLock(async () => {
      taken = this.#waiting.splice(0);
      return await this.#changeFile(taken);
    });
    const told = taken.length > 0 ? taken : this.#waiting.splice(0);
    for (const { resolve } of told) {
      resolve(outcome);
    }
  }

  async #underLock(job: () => Promise<Update>): Promise<Update> {
    const { clock, randomHex } = this.#options;
    try {
      return await withFileLock(`${this.#path}.lock`, job, { clock, randomHex, waitMs: LOCK_WAIT_MS });
    } catch (error) {
      return fail(
        error instanceof FileLockTimeout
          ? { code: 'failed', message: error.message }
          : refusalOf(error, 'write the registry', this.#path),
      );
    }
  }

  async #changeFile(changes: readonly WaitingChange<Update>[]): Promise<Update> {
    await removeDeadTemps(this.#options.workersDir, this.#options.clock.now());
    const loaded = await this.#load();
    if (!loaded.ok) {
      return loaded;
    }
    if (!loaded.value.onDisk && !changes.some(({ create }) => create)) {
      return ok({ document: null, recovered: null });
    }
    const whole = await this.#withVanished(loaded.value.document);
    const ours = await changeTogether(whole, changes);
    if (ours === null && !loaded.value.onDisk && whole === loaded.value.document) {
      return ok({ document: null, recovered: null });
    }
    return await this.#replace(loaded.value, ours ?? whole);
  }

  async #load(): Promise<Result<Loaded, RegistryRefusal>> {
    const look = await this.read();
    const { stamp } = look;
    switch (look.kind) {
      case 'ok':
        return ok({ stamp, document: look.document, onDisk: true, corruptReason: null });
      case 'absent':
        return ok({ stamp, document: this.#empty(), onDisk: false, corruptReason: null });
      case 'corrupt':
        return ok({ stamp, document: await this.#rebuild(), onDisk: true, corruptReason: look.reason });
      case 'unsupported':
        return fail({ code: 'registry-version', message: unsupportedText(this.#path, look.version) });
      case 'unreadable':
        return fail({ code: 'failed', message: unreadableText(this.#path, look.reason) });
    }
  }

  #empty(): RegistryDocument {
    return emptyRegistryDocument(this.#options.maxConcurrent);
  }

  async #rebuild(): Promise<RegistryDocument> {
    const ids = await listWorkerFolders(this.#options.workersDir);
    const entries = await Promise.all(ids.map(async (id) => rebuildEntry(this.#options.workersDir, id)));
    const found = entries.filter((entry) => entry !== null);
    return withEntries(
      this.#empty(),
      found.sort((a, b) => a.started_at.localeCompare(b.started_at)),
    );
  }

  /** Adds the entries of ours that a writer without the lock dropped (workers.md §4.10). */
  async #withVanished(document: RegistryDocument): Promise<RegistryDocument> {
    const present = idsOf(document);
    const remembered = [...this.#added.values()].filter((entry) => !present.has(entry.worker_id));
    const known = new Set([...present, ...this.#added.keys()]);
    const folders = await listWorkerFolders(this.#options.workersDir);
    const kept = await Promise.all(folders.filter((id) => !known.has(id)).map(async (id) => this.#rebuildRecent(id)));
    const vanished = [...remembered, ...kept.filter((entry) => entry !== null)];
    return vanished.length === 0 ? document : withEntries(document, vanished);
  }

  /** A folder with a fresh keeper.json is a worker of ours, also when another process of ours started it. */
  async #rebuildRecent(workerId: string): Promise<RegistryEntry | null> {
    const paths = workerPaths(this.#options.workersDir, workerId);
    const keeper = paths === null ? null : await lstat(paths.keeperFile).catch(() => null);
    const recent = keeper !== null && this.#options.clock.now() - keeper.mtimeMs < PUT_BACK_MS;
    return recent ? await rebuildEntry(this.#options.workersDir, workerId) : null;
  }

  async #replace(loaded: Loaded, changed: RegistryDocument): Promise<Update> {
    let theirs = loaded;
    let ours = changed;
    let recovered: RegistryRecovery | null = null;
    for (let redo = 0; redo <= MAX_REDOS; redo += 1) {
      if (isAsOnDisk(theirs, ours)) {
        return ok({ document: ours, recovered });
      }
      recovered = (await this.#keepCorrupt(theirs)) ?? recovered;
      if (await replaceRegistry(this.#path, formatRegistryDocument(ours), theirs.stamp)) {
        this.#remember(theirs.document, ours);
        return ok({ document: ours, recovered });
      }
      const hurried = await this.#changeAtOnce(theirs, ours);
      if (hurried !== null) {
        return ok({ document: hurried, recovered });
      }
      const again = await this.#load();
      if (!again.ok) {
        return again;
      }
      ours = mergeRegistry({ base: theirs.document, ours, theirs: again.value.document });
      theirs = again.value;
    }
    return fail({
      code: 'failed',
      message: `Another program keeps writing ${this.#path}. Wait until it has finished and try again.`,
    });
  }

  /** Somebody wrote while our text went to the disk: joins both in one breath, if theirs can be read. */
  async #changeAtOnce(before: Loaded, ours: RegistryDocument): Promise<RegistryDocument | null> {
    const changed = await changeAtOnce(this.#path, (theirs) => mergeRegistry({ base: before.document, ours, theirs }));
    if (changed !== null) {
      this.#remember(before.document, changed);
    }
    return changed;
  }

  async #keepCorrupt({ corruptReason, document }: Loaded): Promise<RegistryRecovery | null> {
    if (corruptReason === null) {
      return null;
    }
    const copy = await keepCorruptCopy(this.#path, this.#options.clock.now());
    const found = document.rows.length;
    return {
      message:
        `${corruptReason}. It was kept as ${basename(copy)} and made again from ` +
        `${found} worker ${found === 1 ? 'folder' : 'folders'}. Compare the two if a worker is missing.`,
    };
  }

  #remember(before: RegistryDocument, after: RegistryDocument): void {
    const known = idsOf(before);
    const remaining = new Map(entriesOf(after).map((entry) => [entry.worker_id, entry]));
    for (const id of [...this.#added.keys()]) {
      if (!remaining.has(id)) {
        this.#added.delete(id);
      }
    }
    for (const [id, entry] of remaining) {
      if (!known.has(id) || this.#added.has(id)) {
        this.#added.set(id, entry);
      }
    }
  }
}

function withEntries(document: RegistryDocument, entries: readonly RegistryEntry[]): RegistryDocument {
  return { ...document, rows: [...document.rows, ...entries.map((entry) => ({ kind: 'entry', entry }) as const)] };
}

/** Whether the file already says what we want; the very same document needs no look at its text. */
function isAsOnDisk(loaded: Loaded, ours: RegistryDocument): boolean {
  const sound = loaded.onDisk && loaded.corruptReason === null;
  return (
    sound && (ours === loaded.document || formatRegistryDocument(ours) === formatRegistryDocument(loaded.document))
  );
}

/** Also the ids of bad rows: a row that cannot be read is there, and is not put back over itself. */
function idsOf({ rows }: RegistryDocument): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.worker_id] : (row.workerId ?? []))));
}
