import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { Gate } from '../base/gate';
import type { WorkerFacts } from '../protocol/workerFacts';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import type { RegistryRow } from '../protocol/workers/registryRow';
import { isTerminal } from '../protocol/workers/statusWord';
import { FactsReader } from '../readers/factsReader';
import { FolderFinder, type FoundFolder } from '../registry/paths';
import { entryOfBadRow } from './badRow';

/**
 * What a look covers: `all` rereads every worker in full; `active` looks after those that may change by themselves;
 * `since` looks after those that were not seen since that instant of the monotonic clock.
 */
export type LookScope =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'active';
      /** Folders in which something changed; these are reread. */
      readonly folders: ReadonlySet<string>;
      /** A watcher names such folders, so that in the others only the processes need a look. */
      readonly watched: boolean;
    }
  | { readonly kind: 'since'; readonly at: number };

export interface FactsMemoryOptions {
  readonly root: string;
  readonly workersDir: string;
  readonly clock: Clock;
}

/** What is known about a worker. Both instants are monotonic. */
interface KnownFacts {
  readonly facts: WorkerFacts;
  /** When everything was read. */
  readonly readAt: number;
  /** When it was last seen to be true still. */
  readonly seenAt: number;
}

/** Enough to keep a disk busy; every reading holds a descriptor, and some systems give a process only 256. */
const READINGS_AT_ONCE = 32;
/** A watcher may be silent, as on a disk of another machine: files are looked after this often all the same. */
const UNSEEN_MS = 15_000;
/** Quick looks do not see a log that grows, so facts are not kept for longer. */
const KEPT_MS = 60_000;

/**
 * The facts about the workers of one root, as new as each look needs them. Reading everything about a worker costs ten
 * times as much as seeing that nothing has changed, and a thousand workers are looked at again and again.
 */
export class FactsMemory {
  readonly #options: FactsMemoryOptions;
  readonly #reader: FactsReader;
  readonly #folders: FolderFinder;
  readonly #gate = new Gate(READINGS_AT_ONCE);
  readonly #known = new Map<string, KnownFacts>();

  constructor(options: FactsMemoryOptions) {
    this.#options = options;
    this.#reader = new FactsReader(options.clock);
    this.#folders = new FolderFinder(options.root, options.workersDir);
  }

  /** The facts of every row, by worker id, in the registry's order. Rows that are gone are forgotten. */
  async gather(rows: readonly RegistryRow[], scope: LookScope): Promise<ReadonlyMap<string, WorkerFacts>> {
    const found = await Promise.all(rows.map(async (row, index) => this.#factsInScope(row, index, scope)));
    const facts = new Map(found.map((one) => [one.entry.worker_id, one]));
    this.#reader.retain(facts);
    for (const id of [...this.#known.keys()].filter((known) => !facts.has(known))) {
      this.#known.delete(id);
    }
    return facts;
  }

  /** The facts of one entry as they are now. */
  async factsOf(entry: RegistryEntry): Promise<WorkerFacts> {
    return await this.#gate.run(async () => this.#renewed(entry));
  }

  async #factsInScope(row: RegistryRow, index: number, scope: LookScope): Promise<WorkerFacts> {
    if (row.kind === 'bad') {
      return await this.#gate.run(async () => this.#read(entryOfBadRow(row, index), row.reason));
    }
    const { entry } = row;
    const known = this.#known.get(entry.worker_id);
    if (known !== undefined && isFresh(known, scope)) {
      return this.#withEntry(known, entry);
    }
    if (known !== undefined && scope.kind === 'active' && (await this.#isQuiet(known, scope))) {
      return this.#withEntry(known, entry);
    }
    const reread = scope.kind === 'all' || (scope.kind === 'active' && scope.folders.has(known?.facts.folder ?? ''));
    return await this.#gate.run(async () => (reread ? this.#read(entry, null) : this.#renewed(entry)));
  }

  async #isQuiet({ facts, seenAt }: KnownFacts, scope: LookScope & { readonly kind: 'active' }): Promise<boolean> {
    const announced = !scope.watched || scope.folders.has(facts.folder);
    const old = this.#options.clock.monotonic() - seenAt > UNSEEN_MS;
    return !announced && !old && (await this.#reader.livesAsSealed(facts));
  }

  /** What is known, if it can be seen to be true still; else everything read anew. */
  async #renewed(entry: RegistryEntry): Promise<WorkerFacts> {
    const now = this.#options.clock.monotonic();
    const known = this.#known.get(entry.worker_id);
    if (known === undefined || known.facts.rowProblem !== null || now - known.readAt > KEPT_MS) {
      return await this.#read(entry, null);
    }
    const found = await this.#folders.find(entry.worker_id);
    if (found.refusal !== null || !(await this.#reader.isUnchanged(known.facts, found.changedAt))) {
      return await this.#read(entry, null, found);
    }
    return this.#withEntry({ ...known, seenAt: now }, entry);
  }

  async #read(entry: RegistryEntry, badReason: string | null, before?: FoundFolder): Promise<WorkerFacts> {
    const readAt = this.#options.clock.monotonic();
    const { changedAt, refusal } = before ?? (await this.#folders.find(entry.worker_id));
    const facts = await this.#reader.read({
      entry,
      folder: join(this.#options.workersDir, entry.worker_id),
      folderChangedAt: changedAt,
      safe: refusal === null,
      rowProblem: badReason ?? refusal?.message ?? null,
    });
    this.#known.set(entry.worker_id, { facts, readAt, seenAt: readAt });
    return facts;
  }

  /** The same object for the same entry, by which others see that nothing has changed. */
  #withEntry(known: KnownFacts, entry: RegistryEntry): WorkerFacts {
    const facts = known.facts.entry === entry ? known.facts : { ...known.facts, entry };
    this.#known.set(entry.worker_id, { ...known, facts });
    return facts;
  }
}

function isFresh({ facts, seenAt }: KnownFacts, scope: LookScope): boolean {
  switch (scope.kind) {
    case 'all':
      return false;
    case 'active':
      return isSettled(facts) && !scope.folders.has(facts.folder);
    case 'since':
      return seenAt >= scope.at;
  }
}

/** A worker whose end is known changes only when somebody writes into its folder, which the watcher tells. */
function isSettled({ keeper, entry }: WorkerFacts): boolean {
  const ended = keeper === null || (keeper.keeper === 'dead' && keeper.process === 'dead');
  return isTerminal(entry.status) && ended;
}
