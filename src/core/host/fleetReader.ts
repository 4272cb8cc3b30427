import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { ProcessIdentity } from '../protocol/keeper/processIdentity';
import type { FleetProblem, FleetSnapshot, LeaderSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import type { WorkerFacts } from '../protocol/workerFacts';
import { DEFAULT_MAX_CONCURRENT, type RegistryDocument } from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import type { Lease } from '../registry/lease';
import type { RegistryLook } from '../registry/registryFile';
import type { Registry } from '../registry/registryStore';
import { unreadableText, unsupportedText } from '../registry/registryTrouble';
import { FactsMemory, type LookScope } from './factsMemory';
import { ShownMemory } from './shownMemory';
import { shownWorker } from './shownWorker';
import type { TypeCatalog } from './typeCatalog';
import type { FleetFuses } from './fleetFuses';
import { noOutlook, type OutlookReader } from './outlookReader';
import { SessionReader } from './session/sessionReader';

export interface FleetReaderOptions {
  readonly root: string;
  readonly workersDir: string;
  /** Why the workers folder is refused, or null; then nothing in it is read. */
  readonly refused: string | null;
  readonly registry: Registry;
  readonly lease: Lease;
  readonly self: ProcessIdentity;
  readonly clock: Clock;
  readonly types: TypeCatalog;
  readonly outlook: OutlookReader;
  readonly fuses: FleetFuses;
}

/** A snapshot together with the facts that it was derived from. */
export interface FleetLook {
  readonly snapshot: FleetSnapshot;
  readonly facts: ReadonlyMap<string, WorkerFacts>;
  /** The log of the session agents, absolute; null where there is none. */
  readonly sessionLog: string | null;
}

/**
 * Builds fleet snapshots from the files alone, so that every process sees the same truth and a frozen leader hides
 * nothing (lifecycle §6). It writes nothing.
 */
export class FleetReader {
  readonly #options: FleetReaderOptions;
  readonly #memory: FactsMemory;
  readonly #shown: ShownMemory;
  readonly #session: SessionReader;
  #lastDocument: RegistryDocument | null = null;

  constructor(options: FleetReaderOptions) {
    this.#options = options;
    this.#memory = new FactsMemory(options);
    this.#shown = new ShownMemory(options.clock);
    this.#session = new SessionReader(options.root);
  }

  /** The snapshot before the first look. */
  nothingSeen(): FleetSnapshot {
    const { root } = this.#options;
    return {
      at: 0,
      root,
      leader: null,
      maxConcurrent: DEFAULT_MAX_CONCURRENT,
      workers: [],
      problems: [],
      fuses: [],
      session: null,
      ...noOutlook,
    };
  }

  async look(scope: LookScope): Promise<FleetLook> {
    if (this.#options.refused !== null) {
      const problem = { code: 'unsafe-root', message: this.#options.refused } as const;
      return { snapshot: { ...this.nothingSeen(), problems: [problem] }, facts: new Map(), sessionLog: null };
    }
    const reading = await this.#options.registry.read();
    const document = this.documentOf(reading);
    const facts = await this.#memory.gather(document?.rows ?? [], scope);
    const now = this.#options.clock.now();
    const { config } = await this.#options.types.loadConfig();
    const workers = await this.#shown.show(facts, { now, document, config });
    const leader = await this.#leader();
    const session = await this.#session.read(config, now);
    return {
      snapshot: {
        at: now,
        root: this.#options.root,
        leader,
        maxConcurrent: document?.maxConcurrent ?? DEFAULT_MAX_CONCURRENT,
        workers,
        problems: problemsOf(reading, this.#options.workersDir),
        fuses: await this.#options.fuses.blown(),
        session: session?.snapshot ?? null,
        ...(await this.#options.outlook.read({ led: leader !== null, workers, now })),
      },
      facts,
      sessionLog: session?.logFile ?? null,
    };
  }

  /** Facts of one entry, freshly read; for the refresh under the registry lock. */
  async factsOf(entry: RegistryEntry): Promise<WorkerFacts> {
    return await this.#memory.factsOf(entry);
  }

  /** One worker as a look at this moment shows it among the registry's `entries`. */
  async shown(entry: RegistryEntry, entries: readonly RegistryEntry[]): Promise<WorkerSnapshot> {
    const { config } = await this.#options.types.loadConfig();
    return shownWorker(await this.factsOf(entry), { now: this.#options.clock.now(), entries, config });
  }

  /** What could be read last stands while the registry itself cannot be read (workers.md §4.11); null where there is none. */
  documentOf(reading: RegistryLook): RegistryDocument | null {
    if (reading.kind === 'ok') {
      this.#lastDocument = reading.document;
    } else if (reading.kind === 'absent') {
      this.#lastDocument = null;
    }
    return this.#lastDocument;
  }

  async #leader(): Promise<LeaderSnapshot | null> {
    const holder = await this.#options.lease.read();
    if (holder === null) {
      return null;
    }
    const { pid, startTime, surface, since, epoch } = holder;
    const self = pid === this.#options.self.pid && startTime === this.#options.self.startTime;
    return { pid, surface, since, epoch, self };
  }
}

function problemsOf(reading: RegistryLook, workersDir: string): readonly FleetProblem[] {
  const file = join(workersDir, 'registry.json');
  switch (reading.kind) {
    case 'ok':
    case 'absent':
      return [];
    case 'corrupt':
      return [
        {
          code: 'registry-corrupt',
          message: `${file} cannot be read: ${reading.reason}. The next start or status keeps it aside and rebuilds it from the worker folders.`,
        },
      ];
    case 'unsupported':
      return [{ code: 'registry-version', message: unsupportedText(file, reading.version) }];
    case 'unreadable':
      return [{ code: 'registry-unreadable', message: unreadableText(file, reading.reason) }];
  }
}
