import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import type { AgentStart } from './agentStart';

export interface HeldStartsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Asks for the start once more, where it is still wanted. */
  readonly again: (start: AgentStart) => void;
}

/** As often as the logs are measured, milliseconds. */
const AGAIN_MS = 15_000;

/** Starts of agents that a blown fuse holds up (lifecycle §9) and nobody waits for: they are asked for until they may be made. */
export class HeldStarts implements Disposable {
  readonly #options: HeldStartsOptions;
  readonly #held = new Map<string, AgentStart>();
  readonly #told = new Set<string>();
  #timer: Disposable | null = null;

  constructor(options: HeldStartsOptions) {
    this.#options = options;
  }

  /** Keeps this start for later; the log hears of each agent's first one. */
  hold(start: AgentStart, reason: string): void {
    if (!this.#told.has(start.agent)) {
      this.#told.add(start.agent);
      this.#options.logger.warn(reason, { agent: start.agent });
    }
    this.#held.set(start.agent, start);
    this.#timer ??= this.#options.clock.schedule(AGAIN_MS, () => {
      this.#askAgain();
    });
  }

  /** This agent is started. */
  release(agent: string): void {
    this.#held.delete(agent);
    this.#told.delete(agent);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #askAgain(): void {
    this.#timer = null;
    const held = [...this.#held.values()];
    this.#held.clear();
    held.forEach(this.#options.again);
  }
}
