import { existsSync, readdirSync } from 'node:fs';
import { markedProcesses } from './chaosProcesses';
import type { ChaosWorld } from './chaosWorld';

const LOOK_MS = 250;
/** Nothing may be shown running that is dead for longer (issue: two seconds), in looks that this busy machine really got. */
const LOOKS_ALLOWED = 12;

/** Compares, again and again, what a window that only watches shows with which processes there are. */
export class TruthWatch {
  readonly #world: ChaosWorld;
  readonly #deadLooks = new Map<string, number>();
  readonly lies = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(world: ChaosWorld) {
    this.#world = world;
    this.#again();
  }

  stop(): void {
    clearTimeout(this.#timer ?? undefined);
  }

  #again(): void {
    this.#timer = setTimeout(() => {
      this.#look();
      this.#again();
    }, LOOK_MS);
  }

  #look(): void {
    const { mark, observer, startsDir } = this.#world;
    const marked = markedProcesses(mark);
    const trees = new Set(marked.map(({ workerId }) => workerId));
    const begun = existsSync(startsDir) ? new Set(readdirSync(startsDir)) : new Set<string>();
    for (const { workerId, state } of observer.getSnapshot().workers) {
      const isLie = state === 'running' && begun.has(workerId) && !trees.has(workerId);
      const looks = isLie ? (this.#deadLooks.get(workerId) ?? 0) + 1 : 0;
      this.#deadLooks.set(workerId, looks);
      if (looks === LOOKS_ALLOWED) {
        this.lies.add(`${workerId} was shown running though none of its processes lived`);
      }
    }
  }
}
