import type { Clock } from '../base/clock';
import { type Disposable, toDisposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { SerialQueue } from '../base/serialQueue';
import type { FeaturesSnapshot } from '../protocol/features/featureSnapshot';
import { type FeatureWatch, watchFeatures } from '../readers/features/watchFeatures';

export interface FeaturePumpOptions {
  /** With `grace`, what is late by its age alone is given time. */
  readonly look: (grace: boolean) => Promise<FeaturesSnapshot>;
  /** The folders to watch, as they are now. */
  readonly folders: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the listener also wants to know how ages go on. */
  readonly ticking: boolean;
  readonly listener: (snapshot: FeaturesSnapshot) => void;
}

/** Changes that come together are shown together: a moment for the first ones, and so long between two looks. */
const FIRST_MS = 5;
const COALESCE_MS = 60;
const RECONCILE_MS = 1_000;
/** A clock that jumped further than that against the monotonic one was set, or the machine slept. */
const JUMP_MS = 10_000;
/** Within that every living worker beats again, so it is one round (features.md §2). */
const GRACE_MS = 30_000;

/** Keeps one listener told: hints of a watcher, coalesced, and a look every second whatever the watcher says. */
export class FeaturePump implements Disposable {
  readonly #options: FeaturePumpOptions;
  readonly #ticks = new SerialQueue();
  readonly #watch: FeatureWatch;
  #told = '';
  #timer: Disposable = toDisposable(() => undefined);
  #soon: Disposable | null = null;
  #ended = false;
  /** Monotonic. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Wall time minus monotonic time at the last look. */
  #drift: number;
  /** Monotonic. */
  #graceUntil = Number.NEGATIVE_INFINITY;

  constructor(options: FeaturePumpOptions) {
    this.#options = options;
    this.#drift = driftOf(options.clock);
    this.#watch = watchFeatures({
      logger: options.logger,
      onHint: () => {
        this.#hint();
      },
    });
  }

  start(): void {
    void this.#tick();
  }

  dispose(): void {
    this.#ended = true;
    this.#timer.dispose();
    this.#soon?.dispose();
    this.#watch.dispose();
  }

  #hint(): void {
    if (!this.#ended) {
      const { clock } = this.#options;
      const wait = Math.max(FIRST_MS, this.#lookedAt + COALESCE_MS - clock.monotonic());
      this.#soon ??= clock.schedule(wait, () => {
        this.#soon = null;
        void this.#tick();
      });
    }
  }

  async #tick(): Promise<void> {
    try {
      await this.#ticks.run(async () => this.#look());
    } catch (error) {
      this.#options.logger.error('A look at the feature runs failed; it is tried again.', { reason: errorText(error) });
    }
    this.#timer.dispose();
    if (!this.#ended) {
      this.#timer = this.#options.clock.schedule(RECONCILE_MS, () => void this.#tick());
    }
  }

  async #look(): Promise<void> {
    const { look, folders, ticking, listener } = this.#options;
    const snapshot = await look(this.#isGrace());
    this.#lookedAt = this.#options.clock.monotonic();
    const watched = await folders();
    if (this.#ended) {
      return;
    }
    this.#watch.setFolders(watched);
    const words = withoutAges(snapshot);
    if (ticking || words !== this.#told) {
      this.#told = words;
      listener(snapshot);
    }
  }

  #isGrace(): boolean {
    const { clock } = this.#options;
    const drift = driftOf(clock);
    if (Math.abs(drift - this.#drift) > JUMP_MS) {
      this.#graceUntil = clock.monotonic() + GRACE_MS;
    }
    this.#drift = drift;
    return clock.monotonic() < this.#graceUntil;
  }
}

function driftOf(clock: Clock): number {
  return clock.now() - clock.monotonic();
}

const TICKING: ReadonlySet<string> = new Set(['ageSeconds', 'lastActivityAgeSeconds']);

/** What two snapshots of the same files have in common whenever they are taken. */
function withoutAges(snapshot: FeaturesSnapshot): string {
  return JSON.stringify({ ...snapshot, at: 0 }, (key, value: unknown) => (TICKING.has(key) ? undefined : value));
}
