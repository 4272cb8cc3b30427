import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { Gate } from '../base/gate';
import { isAgentName } from '../protocol/actors/agentName';
import type { LogShare } from '../protocol/fleetFuse';
import { isWorkerId } from '../protocol/workers/workerId';

export interface LogSizesOptions {
  readonly workersDir: string;
  readonly clock: Clock;
}

/** Whose logs they are, and which files. */
interface LogFiles {
  readonly of: string;
  readonly files: readonly string[];
}

interface Measured {
  readonly bytes: number;
  /** Of the file that was written last; null where there is none. */
  readonly writtenAt: number | null;
  /** Epoch milliseconds. */
  readonly measuredAt: number;
}

/** A log has at most three files beside what the program writes itself (lifecycle §9). */
const ROLLS = ['', '.1', '.2'];
/** Logs that rested for so long are believed to rest for as long again: most workers of a project have ended. */
const RESTED_MS = 10 * 60_000;
const LOOKS_AT_ONCE = 16;

/**
 * How much the logs of a project have: of every worker's folder, be it in the registry or not, and of every session agent.
 * Looks at named files alone, never into `output/`, and at what rests only now and then. What is in the trash is no log.
 */
export class LogSizes {
  readonly #options: LogSizesOptions;
  readonly #gate = new Gate(LOOKS_AT_ONCE);
  #known: ReadonlyMap<string, Measured> = new Map();

  constructor(options: LogSizesOptions) {
    this.#options = options;
  }

  /**
   * Every share that is not empty, the biggest first. What cannot be looked at counts as nothing. `sessionDir` is the folder
   * of the session, absolute, or null; it need not exist.
   */
  async measure(sessionDir: string | null): Promise<readonly LogShare[]> {
    const { workersDir } = this.#options;
    const workers = (await namesIn(workersDir, isWorkerId)).map((id) => ofWorker(workersDir, id));
    const all = [...workers, ...(sessionDir === null ? [] : await agentsIn(sessionDir))];
    const measured = await Promise.all(all.map(async (logs) => [logs.of, await this.#measureOne(logs)] as const));
    this.#known = new Map(measured);
    return measured
      .map(([of, { bytes }]) => ({ of, bytes }))
      .filter(({ bytes }) => bytes > 0)
      .toSorted((a, b) => b.bytes - a.bytes);
  }

  async #measureOne({ of, files }: LogFiles): Promise<Measured> {
    const now = this.#options.clock.now();
    const known = this.#known.get(of);
    if (known !== undefined && isRested(known, now)) {
      return known;
    }
    const stats = await this.#gate.run(async () => Promise.all(files.map(sizeOf)));
    const there = stats.filter((stat) => stat !== null);
    return {
      bytes: there.reduce((sum, { bytes }) => sum + bytes, 0),
      writtenAt: there.length === 0 ? null : Math.max(...there.map(({ writtenAt }) => writtenAt)),
      measuredAt: now,
    };
  }
}

function isRested({ writtenAt, measuredAt }: Measured, now: number): boolean {
  const rested = writtenAt !== null && measuredAt - writtenAt > RESTED_MS;
  return rested && Math.abs(now - measuredAt) < RESTED_MS;
}

function ofWorker(workersDir: string, id: string): LogFiles {
  const log = ROLLS.map((roll) => `worker.log${roll}`);
  return { of: id, files: ['output.raw', 'error.log', ...log].map((name) => join(workersDir, id, name)) };
}

function ofAgent(sessionDir: string, name: string): LogFiles {
  const log = ROLLS.map((roll) => join(sessionDir, 'logs', `${name}.log${roll}`));
  return { of: name, files: [join(sessionDir, 'keepers', name, 'output.raw'), ...log] };
}

async function agentsIn(sessionDir: string): Promise<readonly LogFiles[]> {
  return (await namesIn(join(sessionDir, 'keepers'), isAgentName)).map((name) => ofAgent(sessionDir, name));
}

async function namesIn(folder: string, fits: (name: string) => boolean): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).filter(fits);
}

/** A link is no log of ours, wherever it leads. */
async function sizeOf(path: string): Promise<{ readonly bytes: number; readonly writtenAt: number } | null> {
  const stat = await lstat(path).catch(() => null);
  return stat?.isFile() === true ? { bytes: stat.size, writtenAt: stat.mtimeMs } : null;
}
