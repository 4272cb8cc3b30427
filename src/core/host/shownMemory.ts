import type { Clock } from '../base/clock';
import { TimeSlice } from '../base/timeSlice';
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

function isFresh({ worker, at }: Shown, now: number): boolean {
  const isBack = Object.values(worker.snoozed).some((until) => until <= now);
  return now >= at && now - at < KEPT_MS && !isBack;
}

/** Derives what is shown of each worker, and gives the same object again while nothing about it has changed. */
export class ShownMemory {
  readonly #clock: Clock;
  #document: RegistryDocument | null = null;
  #config: WorkersConfig | null = null;
  #shown: ReadonlyMap<string, Shown> = new Map();

  /** The clock says how long the work takes; what is shown goes by each look's own instant. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The workers in the order of their facts. */
  async show(
    facts: ReadonlyMap<string, WorkerFacts>,
    { now, document, config }: LookSurroundings,
  ): Promise<readonly WorkerSnapshot[]> {
    const kept = document === this.#document && config === this.#config ? this.#shown : new Map<string, Shown>();
    const entries = document === null ? [] : entriesOf(document);
    const slice = new TimeSlice(this.#clock);
    const shown = new Map<string, Shown>();
    for (const [id, one] of facts) {
      const known = kept.get(id);
      const holds = known?.facts === one && isFresh(known, now);
      shown.set(id, holds ? known : { facts: one, worker: shownWorker(one, { now, entries, config }), at: now });
      if (slice.isOver) {
        await slice.pause();
      }
    }
    this.#document = document;
    this.#config = config;
    this.#shown = shown;
    return [...shown.values()].map(({ worker }) => worker);
  }
}
