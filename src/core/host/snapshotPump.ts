import { lstat } from 'node:fs/promises';
import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/emitter';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { SerialQueue } from '../base/serialQueue';
import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import { type WorkersWatch, watchWorkers } from '../readers/watchWorkers';
import type { LookScope } from './factsMemory';
import type { FleetLook, FleetReader } from './fleetReader';
import { sameSnapshot } from './sameSnapshot';
import { WakeGrace, withHealthBefore } from './wakeGrace';

export interface SnapshotPumpOptions {
  readonly workersDir: string;
  readonly fleet: FleetReader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after every look with what it found; the leader refreshes the registry from here. */
  readonly onLook: (look: FleetLook) => void;
}

/** Changes that come together are shown together: a moment for the first ones, and so long between two looks. */
const FIRST_MS = 5;
const COALESCE_MS = 40;
/** Where changes never cease looks take at most this part of the time, and still come so often, milliseconds. */
const LOOK_SHARE = 1 / 4;
const MAX_COALESCE_MS = 250;
/** A dead process changes no file, and there may be no watcher: everything that moves is looked after once a second. */
const RECONCILE_MS = 1_000;
/** Where a watcher works and nothing has changed for a while, half as many looks find a dead process early enough. */
const QUIET_MS = 2_000;
const QUIET_AFTER_MS = 5_000;
/** Without a watcher the look itself must find a new worker within a second. */
const UNWATCHED_MS = 400;
/** What has ended is reread this often, in case the watcher missed a late writer. */
const FULL_LOOK_MS = 60_000;

/** Keeps one snapshot fresh: watcher hints and a steady reconcile, coalesced, one look at a time. */
export class SnapshotPump implements Disposable {
  readonly #options: SnapshotPumpOptions;
  readonly #looks = new SerialQueue();
  readonly #grace: WakeGrace;
  readonly #changed: Emitter<FleetSnapshot>;
  #snapshot: FleetSnapshot;
  #watch: WorkersWatch | null = null;
  #hinted = new Set<string>();
  #timer: Disposable | null = null;
  #soon: Disposable | null = null;
  #lastFull = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** What the latest look took, milliseconds. */
  #lookMs = 0;
  #changedAt = Number.NEGATIVE_INFINITY;
  #running = false;

  constructor(options: SnapshotPumpOptions) {
    this.#options = options;
    this.#grace = new WakeGrace(options.clock);
    this.#snapshot = options.fleet.nothingSeen();
    this.#changed = new Emitter((error) => {
      options.logger.error('A listener of the snapshot failed.', { reason: errorText(error) });
    });
  }

  get snapshot(): FleetSnapshot {
    return this.#snapshot;
  }

  get onDidChange(): Event<FleetSnapshot> {
    return this.#changed.event;
  }

  /** Reads everything now, or what `scope` covers, and tells the listeners if something changed. */
  async look(scope: LookScope = { kind: 'all' }): Promise<FleetSnapshot> {
    return await this.#look(scope);
  }

  /** Looks soon, together with whatever else changes in the same moment. */
  hint(folder: string | null): void {
    if (folder !== null) {
      this.#hinted.add(folder);
    }
    if (this.#running) {
      const { clock } = this.#options;
      const apart = Math.min(MAX_COALESCE_MS, Math.max(COALESCE_MS, this.#lookMs / LOOK_SHARE));
      const wait = Math.max(FIRST_MS, this.#lookedAt + apart - clock.monotonic());
      this.#soon ??= clock.schedule(wait, () => {
        this.#soon = null;
        void this.#tick();
      });
    }
  }

  /** Starts to keep itself fresh; resolves after the first look. Idempotent. */
  async start(): Promise<void> {
    if (!this.#running) {
      this.#running = true;
      await this.#tick();
    }
  }

  dispose(): void {
    this.#running = false;
    this.#timer?.dispose();
    this.#soon?.dispose();
    this.#watch?.dispose();
    this.#changed.dispose();
  }

  async #tick(): Promise<void> {
    try {
      await this.#look(this.#scope());
    } catch (error) {
      this.#options.logger.error('A look at the workers failed; it is tried again.', { reason: errorText(error) });
    }
    this.#reschedule();
  }

  /** Ticks can overlap (a hint during a look); still there is only one timer. */
  #reschedule(): void {
    this.#timer?.dispose();
    this.#timer = this.#running ? this.#options.clock.schedule(this.#pause(), () => void this.#tick()) : null;
  }

  #pause(): number {
    if (this.#watch === null) {
      return UNWATCHED_MS;
    }
    const quiet = this.#options.clock.monotonic() - this.#changedAt > QUIET_AFTER_MS;
    return quiet && this.#watch.complete ? QUIET_MS : RECONCILE_MS;
  }

  #scope(): LookScope {
    const now = this.#options.clock.monotonic();
    const folders = this.#hinted;
    this.#hinted = new Set();
    if (now - this.#lastFull < FULL_LOOK_MS) {
      return { kind: 'active', folders, watched: this.#watch?.complete === true };
    }
    this.#lastFull = now;
    return { kind: 'all' };
  }

  async #look(scope: LookScope): Promise<FleetSnapshot> {
    return await this.#looks.run(async () => {
      this.#lookedAt = this.#options.clock.monotonic();
      const look = this.#calmed(await this.#options.fleet.look(scope));
      this.#publish(look.snapshot);
      this.#options.onLook(look);
      await this.#watchFolders(look);
      this.#lookMs = this.#options.clock.monotonic() - this.#lookedAt;
      return look.snapshot;
    });
  }

  /** Only who looks steadily can tell a wake; a single look judges by age alone. */
  #calmed(look: FleetLook): FleetLook {
    const isHeld = this.#running && this.#grace.isHeld();
    return isHeld ? { ...look, snapshot: withHealthBefore(this.#snapshot, look.snapshot) } : look;
  }

  #publish(snapshot: FleetSnapshot): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    // The first look ends a surface's "not known yet", also when it finds nothing.
    if (before.at === 0 || !sameSnapshot(before, snapshot)) {
      this.#changedAt = this.#options.clock.monotonic();
      this.#changed.fire(snapshot);
    }
  }

  /** The root may appear only later: a look creates nothing, so there may be nothing to watch yet. */
  async #watchFolders({ snapshot, sessionLog }: FleetLook): Promise<void> {
    const { workersDir } = this.#options;
    const canWatch = this.#watch !== null || (await lstat(workersDir).catch(() => null)) !== null;
    if (!this.#running || !canWatch) {
      return;
    }
    this.#watch ??= watchWorkers({
      root: workersDir,
      logger: this.#options.logger,
      onHint: (folder) => {
        this.hint(folder);
      },
    });
    const moving = snapshot.workers.filter((worker) => isWatched(worker)).map((worker) => worker.folder);
    this.#watch.watch(moving, sessionLog);
  }
}

/** One that waits for its retry is ended, and a stop flag still means something to it. */
function isWatched({ endedAt, state, problem }: WorkerSnapshot): boolean {
  return (endedAt === null || state === 'backoff') && problem === null;
}
