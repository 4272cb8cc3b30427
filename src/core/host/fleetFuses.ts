import type { Clock } from '../base/clock';
import { ok } from '../base/result';
import { type FleetFuse, inMegabytes, MEGABYTE, TOTAL_LOGS_MB } from '../protocol/fleetFuse';
import {
  fuseAfterMeasure,
  fuseAfterReset,
  type LogsFuseRecord,
  type MeasuredLogs,
  type MeasureRule,
} from '../protocol/workers/fuseDocument';
import { resolveSessionDir } from '../mailbox/sessionPaths';
import type { LogSizes } from '../readers/logSizes';
import type { FuseFile } from '../registry/fuseFile';
import { freeSpace } from '../system/freeSpace';
import type { Outcome } from './api';
import type { TypeCatalog } from './typeCatalog';

export interface FleetFusesOptions {
  readonly root: string;
  readonly workersDir: string;
  readonly file: FuseFile;
  readonly sizes: LogSizes;
  readonly types: TypeCatalog;
  readonly clock: Clock;
}

/** Room for one worker's log, which is bounded at 50 MB. */
const FREE_DISK_FLOOR_MB = 64;
/** The leader measures all logs so often, milliseconds; one worker's cannot become large in between. */
const MEASURE_MS = 15_000;
/** What was measured just now holds for a burst of starts, milliseconds. */
const FRESH_MS = 2_000;
/** So many of the biggest are remembered. */
const NAMED = 5;

/**
 * The fuses of the whole project (lifecycle §9): all logs together, and the free disk. Where one is blown nothing is
 * started; what runs goes on. The disk is asked at each look. Logs are measured by whoever leads, every 15 seconds and
 * before a start, and looks read what that found in `fuses.json`.
 */
export class FleetFuses {
  readonly #options: FleetFusesOptions;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<LogsFuseRecord> | null = null;
  /** When this process first saw too little room on the disk, epoch milliseconds. */
  #diskSince: number | null = null;

  constructor(options: FleetFusesOptions) {
    this.#options = options;
  }

  /** What is blown, as the files and the disk tell. Writes nothing. */
  async blown(): Promise<readonly FleetFuse[]> {
    const [record, disk] = await Promise.all([this.#options.file.read(), this.diskNow()]);
    return [logsFuse(record), disk].filter((fuse) => fuse !== null);
  }

  /** The fuse for which nothing may be started now, or null. The caller leads. */
  async judgeStart(): Promise<FleetFuse | null> {
    const disk = await this.diskNow();
    if (disk !== null) {
      return disk;
    }
    const age = this.#options.clock.monotonic() - this.#measuredAt;
    return logsFuse(age < FRESH_MS ? await this.#options.file.read() : await this.#measure());
  }

  /** Measures the logs where that is due; true when looks show something else since. The caller leads. */
  async measureWhereDue(): Promise<boolean> {
    if (this.#measuring !== null || this.#options.clock.monotonic() - this.#measuredAt < MEASURE_MS) {
      return false;
    }
    const before = await this.#options.file.read();
    return JSON.stringify(before) !== JSON.stringify(await this.#measure());
  }

  /** The fuse of the logs, measured now, as a start would find it; null while it is whole. Writes nothing. */
  async judgeLogs(): Promise<FleetFuse | null> {
    const [before, measured, rule] = [await this.#options.file.read(), await this.#logs(), await this.#rule()];
    return logsFuse(fuseAfterMeasure(before, measured, rule)) ?? logsFuse(before);
  }

  /** Accepts the logs that there are: the limit counts from there, until they have become fewer. */
  async resetLogs(): Promise<Outcome<LogsFuseRecord>> {
    const measured = await this.#logs();
    const written = await this.#options.file.update(() => fuseAfterReset(measured));
    return written.ok ? ok(written.value) : written;
  }

  /** The fuse of the disk as it is now; null while there is room. */
  async diskNow(): Promise<FleetFuse | null> {
    const { workersDir, clock } = this.#options;
    const free = await freeSpace(workersDir);
    if (free === null || free >= FREE_DISK_FLOOR_MB * MEGABYTE) {
      this.#diskSince = null;
      return null;
    }
    this.#diskSince ??= clock.now();
    const measuredMB = Math.floor(free / MEGABYTE);
    return { name: 'disk', limitMB: FREE_DISK_FLOOR_MB, measuredMB, since: this.#diskSince, biggest: [] };
  }

  async #measure(): Promise<LogsFuseRecord> {
    this.#measuring ??= this.#measureNow().finally(() => {
      this.#measuring = null;
    });
    return await this.#measuring;
  }

  async #measureNow(): Promise<LogsFuseRecord> {
    const { clock, file } = this.#options;
    const measured = await this.#logs();
    const rule = await this.#rule();
    this.#measuredAt = clock.monotonic();
    const before = await file.read();
    if (fuseAfterMeasure(before, measured, rule) === before) {
      return before;
    }
    const written = await file.update((record) => fuseAfterMeasure(record, measured, rule));
    // A disk that takes no file has its own fuse; the truth of this start does not depend on it.
    return written.ok ? written.value : fuseAfterMeasure(before, measured, rule);
  }

  async #rule(): Promise<MeasureRule> {
    const { config } = await this.#options.types.loadConfig();
    return { limitMB: config.limits.totalLogsMB ?? TOTAL_LOGS_MB, now: this.#options.clock.now() };
  }

  async #logs(): Promise<MeasuredLogs> {
    const { root, types, sizes } = this.#options;
    const { config } = await types.loadConfig();
    const session = await resolveSessionDir(root, config.session.dir);
    const shares = await sizes.measure(session.ok ? session.value.folder : null);
    return { bytes: shares.reduce((sum, { bytes }) => sum + bytes, 0), biggest: shares.slice(0, NAMED) };
  }
}

function logsFuse({ blown }: LogsFuseRecord): FleetFuse | null {
  return blown === null
    ? null
    : {
        name: 'logs',
        limitMB: blown.limitMB,
        measuredMB: inMegabytes(blown.bytes),
        since: blown.at,
        biggest: blown.biggest,
      };
}
