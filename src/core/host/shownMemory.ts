import type { WorkersConfig } from '../protocol/config/configModel';
import type { WorkerSnapshot } from '../protocol/snapshot';
import type { WorkerFacts } from '../protocol/workerFacts';
import { entriesOf, type RegistryDocument } from '../protocol/workers/registryDocument';
import { shownWorker } from './shownWorker';

/** What all workers of a look have around them. `now` is epoch milliseconds. */
export interface LookSurroundings {
  readonly now: number;
  readonly document: RegistryDocument | null;
  readonly config: WorkersConfig;
}

interface Shown {
  readonly facts: WorkerFacts;
  readonly worker: WorkerSnapshot;
  readonly at: number;
}

/** The same facts mean something else only when a limit of minutes has passed meanwhile. */
const KEPT_MS = 30_000;

/** Whether something that was put off is back since. */
function isBack(known: Shown | undefined, now: number): boolean {
  return Object.values(known?.worker.snoozed ?? {}).some((until) => until <= now);
}

/** Derives what is shown of each worker, and gives the same object again while nothing about it has changed. */
export class ShownMemory {
  #document: RegistryDocument | null = null;
  #config: WorkersConfig | null = null;
  #shown: ReadonlyMap<string, Shown> = new Map();

  /** The workers in the order of their facts. */
  show(
    facts: ReadonlyMap<string, WorkerFacts>,
    { now, document, config }: LookSurroundings,
  ): readonly WorkerSnapshot[] {
    const kept = document === this.#document && config === this.#config ? this.#shown : new Map<string, Shown>();
    const entries = document === null ? [] : entriesOf(document);
    const shown = [...facts].map(([id, one]): readonly [string, Shown] => {
      const known = kept.get(id);
      const age = now - (known?.at ?? now);
      const isFresh = age >= 0 && age < KEPT_MS && !isBack(known, now);
      const holds = known?.facts === one && isFresh;
      return [id, holds ? known : { facts: one, worker: shownWorker(one, { now, entries, config }), at: now }];
    });
    this.#document = document;
    this.#config = config;
    this.#shown = new Map(shown);
    return shown.map(([, { worker }]) => worker);
  }
}
