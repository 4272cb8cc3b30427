import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { type BlownFuse, type FuseLimits, type FuseRecord, fuseText } from '../core/protocol/keeper/fuse';
import type { ProcessIdentity } from '../core/protocol/keeper/processIdentity';
import { processMemory } from '../core/system/processMemory';

export interface FuseBoxOptions {
  readonly clock: Clock;
  /** What an earlier keeper of this worker left, or the limits of a new one. */
  readonly record: FuseRecord;
  /** When the worker was started, epoch milliseconds. */
  readonly startedAt: number;
  /** How large its output file may become, bytes. */
  readonly outputBytes: number;
  /** The worker's main process, whose peak is kept. */
  readonly pid: number;
  /** Everyone in the worker's tree. */
  readonly members: () => Promise<readonly ProcessIdentity[]>;
  /** Stores the record and ends the worker. */
  readonly onBlown: (record: FuseRecord, text: string) => Promise<void>;
}

/** Who asked for the stop of a worker that a fuse ends. */
export const BY_FUSE = 'fuse';

const MEGABYTE = 1024 * 1024;
const MINUTE_MS = 60_000;
/** Memory is looked at so often, milliseconds; only where it has a limit. */
const MEMORY_LOOK_MS = 2_000;
/** Longer than this a timer of Node cannot wait, milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The fuses of one worker (lifecycle §9). One that blew stays blown: nothing is ended twice for it. */
export class FuseBox implements Disposable {
  readonly #options: FuseBoxOptions;
  readonly #timers = new Set<Disposable>();
  #record: FuseRecord;

  constructor(options: FuseBoxOptions) {
    this.#options = options;
    this.#record = options.record;
    const { minutes, memoryMB }: FuseLimits = this.#record.limits;
    if (minutes !== null) {
      const left = options.startedAt + minutes * MINUTE_MS - options.clock.now();
      this.#after(Math.min(Math.max(0, left), LONGEST_TIMER_MS), () => void this.#blow('wall time', minutes));
    }
    if (memoryMB !== null) {
      this.#watchMemory(memoryMB);
    }
  }

  get record(): FuseRecord {
    return this.#record;
  }

  /** Notes the peak of the main process; cheap enough for every look at the output. */
  notePeak(): void {
    const peakBytes = processMemory(this.#options.pid)?.peakBytes ?? this.#record.peakBytes;
    this.#record = { ...this.#record, peakBytes };
  }

  /** Looks at what its program says that it spent so far, US dollars. */
  async noteSpent(costUsd: number | null): Promise<void> {
    const limit = this.#record.limits.costUsd ?? null;
    if (costUsd !== null && limit !== null && costUsd > limit) {
      await this.#blow('spend', limit);
    }
  }

  /** Notes what of its output was dropped so far, bytes. That loses output and ends nobody, so it is a fuse of its own. */
  noteDropped(bytes: number): void {
    if (bytes > 0 && (this.#record.output ?? null) === null) {
      const { clock, outputBytes } = this.#options;
      const limit = Math.round((outputBytes / MEGABYTE) * 100) / 100;
      this.#record = { ...this.#record, output: { fuse: 'output', limit, at: new Date(clock.now()).toISOString() } };
    }
  }

  dispose(): void {
    for (const timer of this.#timers) {
      timer.dispose();
    }
    this.#timers.clear();
  }

  #watchMemory(limitMB: number): void {
    this.#after(MEMORY_LOOK_MS, () => {
      void this.#lookAtMemory(limitMB);
    });
  }

  async #lookAtMemory(limitMB: number): Promise<void> {
    // A tree that cannot be looked at now is looked at again.
    const members = await this.#options.members().catch(() => []);
    const bytes = members.reduce((sum, { pid }) => sum + (processMemory(pid)?.residentBytes ?? 0), 0);
    if (bytes > limitMB * MEGABYTE) {
      await this.#blow('memory', limitMB);
    } else {
      this.#watchMemory(limitMB);
    }
  }

  async #blow(fuse: BlownFuse['fuse'], limit: number): Promise<void> {
    if (this.#record.blown !== null) {
      return;
    }
    const blown = { fuse, limit, at: new Date(this.#options.clock.now()).toISOString() };
    this.#record = { ...this.#record, blown };
    await this.#options.onBlown(this.#record, fuseText(blown));
  }

  #after(delayMs: number, run: () => void): void {
    const timer = this.#options.clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

/** What to tell of a memory limit that cannot be watched here; null where it is, or there is none. */
export function unwatchedText({ memoryMB }: FuseLimits, tellsMemory: boolean): string | null {
  return memoryMB === null || tellsMemory
    ? null
    : `The memory limit of ${String(memoryMB)} MB is not watched: this system does not tell how much a process has.`;
}
