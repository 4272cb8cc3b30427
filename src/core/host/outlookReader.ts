import type { Clock } from '../base/clock';
import type { FleetSnapshot, ScheduleSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import type { WorkersConfig } from '../protocol/config/workersConfig';
import { type Suggestion, suggestionsFor, type TriggerFacts } from '../protocol/workers/triggers';
import { readTriggerFacts } from '../readers/triggerFactsReader';
import type { PlanFiles } from '../registry/planFiles';
import type { QueueFile } from '../registry/queueFile';
import { ScheduleBoard } from './scheduleBoard';
import type { TypeCatalog } from './typeCatalog';

export interface OutlookOptions {
  readonly root: string;
  readonly workersDir: string;
  /** In an untrusted workspace nothing is scheduled or suggested. */
  readonly trusted: boolean;
  readonly types: TypeCatalog;
  readonly planFiles: PlanFiles;
  readonly queueFile: QueueFile;
  readonly clock: Clock;
}

/** What may start next, and what is wrong with the file that says so. */
export type Outlook = Pick<FleetSnapshot, 'queue' | 'schedules' | 'suggestions' | 'configDiagnostics'>;

export const noOutlook: Outlook = { queue: [], schedules: [], suggestions: [], configDiagnostics: [] };

export interface OutlookQuestion {
  /** Whether some process leads the root. */
  readonly led: boolean;
  readonly workers: readonly WorkerSnapshot[];
  readonly now: number;
}

/** Cases and skills change by the hour; looking for them is a walk through the project. */
const FACTS_AGE_MS = 10_000;

/** Reads what may start next from the files alone, as every process sees it. Writes nothing. */
export class OutlookReader {
  readonly #options: OutlookOptions;
  readonly #board = new ScheduleBoard();
  #facts: { readonly facts: TriggerFacts; readonly readAt: number } | null = null;

  constructor(options: OutlookOptions) {
    this.#options = options;
  }

  async read(question: OutlookQuestion): Promise<Outlook> {
    const { trusted, types, queueFile } = this.#options;
    const queue = await queueFile.read();
    if (!trusted) {
      return { ...noOutlook, queue };
    }
    const { config, diagnostics } = await types.loadConfig();
    return {
      queue,
      schedules: await this.#schedules(config, question),
      suggestions: await this.#suggestions(config, question),
      configDiagnostics: diagnostics,
    };
  }

  async #schedules(config: WorkersConfig, { led, now }: OutlookQuestion): Promise<readonly ScheduleSnapshot[]> {
    const records = await this.#options.planFiles.readSchedules();
    return this.#board.rows(config, records, now).map(({ type, record, nextAt, due }) => ({
      type,
      cron: record.cron,
      nextAt,
      lastAt: record.lastAt,
      active: led,
      waiting: led && due !== null,
    }));
  }

  async #suggestions(config: WorkersConfig, { workers }: OutlookQuestion): Promise<readonly Suggestion[]> {
    const { consolidateAfterCases, healthCheckAfterBtoTest } = config.triggers;
    if (consolidateAfterCases === null && !healthCheckAfterBtoTest) {
      return [];
    }
    const memory = await this.#options.planFiles.readSuggestions();
    const facts = await this.#triggerFacts();
    const told = memory.btoTestAt ?? Number.NEGATIVE_INFINITY;
    return suggestionsFor({
      facts: told > (facts.btoTestAt ?? Number.NEGATIVE_INFINITY) ? { ...facts, btoTestAt: told } : facts,
      starts: workers.map(({ entry, startedAt }) => ({ type: entry.type, startedAt })),
      triggers: config.triggers,
      answered: new Set(memory.answers.keys()),
    });
  }

  async #triggerFacts(): Promise<TriggerFacts> {
    const now = this.#options.clock.monotonic();
    if (this.#facts === null || now - this.#facts.readAt > FACTS_AGE_MS) {
      this.#facts = { facts: await readTriggerFacts(this.#options), readAt: now };
    }
    return this.#facts.facts;
  }
}
