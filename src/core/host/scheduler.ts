import { errorText } from '../base/errorText';
import type { FleetSnapshot } from '../protocol/snapshot';
import { type ScheduleRecord, settledRecord } from '../protocol/workers/schedule';
import type { ScheduleRecords } from '../protocol/workers/scheduleDocument';
import { isActive } from '../protocol/workers/statusWord';
import type { Outcome, StartedWorker } from './api';
import type { HostContext } from './hostContext';
import { ScheduleBoard, type ScheduleRow } from './scheduleBoard';

export interface SchedulerOptions {
  readonly context: HostContext;
  /** Whether this process leads at this very moment. */
  readonly leads: () => Promise<boolean>;
  readonly start: (type: string) => Promise<Outcome<StartedWorker>>;
}

/** After a full disk or the like: no file is hammered, and the log is not flooded. */
const RETRY_MS = 30_000;

/**
 * Starts what is due, in the process that leads. Each tick is claimed on the disk before its start and settled behind
 * it, so that a leader which dies in between leaves no tick that comes twice or never. A tick over the limit stays due,
 * and all that were missed count as one (config.md).
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #board = new ScheduleBoard();
  #run: Promise<void> | null = null;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Looks at the schedules, unless a look is under way. The caller leads. */
  startWhereDue(snapshot: FleetSnapshot): void {
    const { clock } = this.#options.context;
    if (this.#run === null && clock.monotonic() >= this.#pausedUntil) {
      this.#run = this.#guarded(snapshot).finally(() => {
        this.#run = null;
      });
    }
  }

  /** Resolves when a start that is under way has been recorded. */
  async idle(): Promise<void> {
    await this.#run;
  }

  async #guarded(snapshot: FleetSnapshot): Promise<void> {
    const { clock, logger } = this.#options.context;
    try {
      await this.#startDue(snapshot);
    } catch (error) {
      this.#pausedUntil = clock.monotonic() + RETRY_MS;
      logger.error('The schedules cannot be followed; they are tried again.', { reason: errorText(error) });
    }
  }

  async #startDue(snapshot: FleetSnapshot): Promise<void> {
    const { planFiles, types, clock } = this.#options.context;
    const { config } = await types.loadConfig();
    const known = await planFiles.readSchedules();
    const settled = await this.#settled(known);
    const rows = this.#board.rows(config, settled, clock.now());
    const records = new Map(rows.map(({ type, record }) => [type, record]));
    if (!sameRecords(known, records) && (await this.#options.leads())) {
      await planFiles.writeSchedules(records);
    }
    let free = snapshot.maxConcurrent - snapshot.workers.filter(({ entry }) => isActive(entry.status)).length;
    for (const row of rows) {
      if (row.due !== null && free > 0 && (await this.#options.leads())) {
        await this.#startOne(row, row.due, records);
        free -= 1;
      }
    }
  }

  /** A claim is older than this run, so its leader is gone: what the registry says now tells how far it came. */
  async #settled(records: ScheduleRecords): Promise<ScheduleRecords> {
    if ([...records.values()].every(({ claim }) => claim === null)) {
      return records;
    }
    const { workers } = (await this.#options.context.fleet.look({ kind: 'all' })).snapshot;
    const startsOf = (type: string): readonly number[] =>
      workers.filter(({ entry }) => entry.type === type).map(({ startedAt }) => startedAt);
    return new Map([...records].map(([type, record]) => [type, settledRecord(record, startsOf(type))]));
  }

  async #startOne(row: ScheduleRow, tick: number, records: Map<string, ScheduleRecord>): Promise<void> {
    const { planFiles, clock, journal, logger } = this.#options.context;
    const { type, record } = row;
    const at = clock.now();
    records.set(type, { ...record, claim: { tick, at } });
    await planFiles.writeSchedules(records);
    const outcome = await this.#options.start(type);
    const waits = !outcome.ok && outcome.error.code === 'limit';
    records.set(type, waits ? record : { ...record, handledAt: tick, lastAt: outcome.ok ? at : record.lastAt });
    await planFiles.writeSchedules(records);
    if (outcome.ok) {
      const { workerId: worker } = outcome.value;
      journal.note({ type: 'ScheduleStarted', data: { workerType: type, worker } });
      logger.info('Started by its schedule.', { type, cron: record.cron, worker: outcome.value.workerId });
    } else if (!waits) {
      logger.warn('A scheduled start was refused; the next tick tries again.', { type, reason: outcome.error.message });
    }
  }
}

function sameRecords(a: ScheduleRecords, b: ScheduleRecords): boolean {
  return a.size === b.size && [...a].every(([type, record]) => b.get(type) === record);
}
