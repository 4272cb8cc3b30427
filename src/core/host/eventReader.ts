import type { Clock } from '../base/clock';
import { type Disposable, toDisposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { readEvents } from '../eventlog/replayLog';
import { fleetLogIn } from '../eventlog/fleetLog';
import type { EventLine } from '../protocol/events/eventLine';

/** From where on events are wanted: everything, a sequence number, or an instant (epoch milliseconds). */
export type EventsFrom =
  | { readonly kind: 'all' }
  | { readonly kind: 'seq'; readonly seq: number }
  | { readonly kind: 'time'; readonly at: number };

const LOOK_MS = 200;

/** Reads the event log of one root; writes nothing and needs no leader. */
export class EventReader {
  readonly #workersDir: string;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(options: { readonly workersDir: string; readonly clock: Clock; readonly logger: Logger }) {
    this.#workersDir = options.workersDir;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  /** Hands over every event from there on, in order; gives the last sequence number there is. */
  async read(from: EventsFrom, onEvent: (event: EventLine) => void): Promise<number> {
    let last = from.kind === 'seq' ? Math.max(0, from.seq - 1) : 0;
    const since = from.kind === 'time' ? new Date(from.at).toISOString() : '';
    await readEvents(fleetLogIn(this.#workersDir), last, (event) => {
      last = event.seq;
      if (event.timestamp >= since) {
        onEvent(event);
      }
    });
    return last;
  }

  /** As `read`, and then every new event, until disposed. A look that fails is tried again. */
  follow(from: EventsFrom, onEvent: (event: EventLine) => void): Disposable {
    let next = from;
    let ended = false;
    let timer: Disposable | null = null;
    const look = async (): Promise<void> => {
      try {
        const last = await this.read(next, (event) => {
          if (!ended) {
            onEvent(event);
          }
        });
        next = { kind: 'seq', seq: last + 1 };
      } catch (error) {
        this.#logger.warn('The event log cannot be read; it is tried again.', { reason: errorText(error) });
      }
      timer = ended ? null : this.#clock.schedule(LOOK_MS, () => void look());
    };
    void look();
    return toDisposable(() => {
      ended = true;
      timer?.dispose();
    });
  }
}
