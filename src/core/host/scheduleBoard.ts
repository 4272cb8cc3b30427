import type { WorkersConfig } from '../protocol/config/workersConfig';
import { type CronRule, parseCron } from '../protocol/workers/cronRule';
import { currentRecord, dueTick, type ScheduleRecord } from '../protocol/workers/schedule';
import type { ScheduleRecords } from '../protocol/workers/scheduleDocument';

/** One type that starts by itself. Instants are epoch milliseconds. */
export interface ScheduleRow {
  readonly type: string;
  readonly record: ScheduleRecord;
  readonly nextAt: number | null;
  /** The tick that is due and not handled yet, or null. */
  readonly due: number | null;
}

/** Lays the configuration's schedules over what is remembered of them. Keeps the expressions that it has understood. */
export class ScheduleBoard {
  #rules: ReadonlyMap<string, CronRule> = new Map();

  /** Own types first, then those of the protocol. */
  rows(config: WorkersConfig, records: ScheduleRecords, now: number): readonly ScheduleRow[] {
    const rules = new Map<string, CronRule>();
    const rows = [...config.types, ...config.overrides].flatMap(({ name, schedule: cron }) => {
      const rule = cron === null ? null : (rules.get(cron) ?? this.#rules.get(cron) ?? parseCron(cron));
      if (cron === null || rule === null) {
        return [];
      }
      rules.set(cron, rule);
      const record = currentRecord(records.get(name) ?? null, cron, now);
      const nextAt = rule.next(Math.max(now, record.handledAt));
      return [{ type: name, record, nextAt, due: dueTick(rule, record.handledAt, now) }];
    });
    this.#rules = rules;
    return rows;
  }
}
