import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aProcess, anExit } from '../../../test/support/workerFacts';
import type { ExitClass } from '../protocol/keeper/exitRecord';
import { backoffPolicy } from './restartPolicy';
import { transition } from './transition';
import type { TimerName, WorkerEffect } from './workerEffect';
import type { WorkerHappening } from './workerEvent';
import { backgroundPolicy, type WorkerPolicy } from './workerPolicy';
import { initialState, type WorkerState } from './workerState';

const CLASSES: readonly ExitClass[] = [
  'done',
  'asked to stop',
  'crash',
  'rate limited',
  'not installed',
  'unknown exit',
];
const TIMER_EVENTS: Readonly<Record<TimerName, WorkerHappening>> = {
  ready: { kind: 'readyTimeout' },
  stable: { kind: 'stableElapsed' },
  stop: { kind: 'graceElapsed' },
  backoff: { kind: 'backoffElapsed' },
  park: { kind: 'parkElapsed' },
};

/** What chance may pick next; the world turns it into an event only where that can happen. */
type Choice =
  | { readonly kind: 'spawnEnds'; readonly well: boolean }
  | { readonly kind: 'processEnds'; readonly class: ExitClass; readonly seen: 'event' | 'record' | 'nobody' }
  | { readonly kind: 'timer'; readonly timer: TimerName }
  | { readonly kind: 'look' }
  | { readonly kind: 'happening'; readonly happening: WorkerHappening };

const choices: fc.Arbitrary<Choice> = fc.oneof(
  fc.record({ kind: fc.constant('spawnEnds' as const), well: fc.boolean() }),
  fc.record({
    kind: fc.constant('processEnds' as const),
    class: fc.constantFrom(...CLASSES),
    seen: fc.constantFrom('event' as const, 'record' as const, 'nobody' as const),
  }),
  fc.record({
    kind: fc.constant('timer' as const),
    timer: fc.constantFrom(...(Object.keys(TIMER_EVENTS) as TimerName[])),
  }),
  fc.constant({ kind: 'look' as const }),
  fc.record({
    kind: fc.constant('happening' as const),
    happening: fc.constantFrom<WorkerHappening>(
      { kind: 'startRequested' },
      { kind: 'stopRequested', by: 'cli', force: false },
      { kind: 'stopRequested', by: 'cli', force: true },
      { kind: 'stopStepTaken', step: 'kill' },
      { kind: 'becameReady' },
      { kind: 'wordHeard', word: 'completed' },
      { kind: 'wordHeard', word: 'failed' },
      { kind: 'rateLimited', until: null },
      { kind: 'healthSeen', health: 'silent' },
      { kind: 'ownershipLost' },
    ),
  }),
);

/** A machine with one worker: what is spawned lives until it ends, and timers go off only while they are armed. */
class World {
  state: WorkerState;
  alive = false;
  spawning = false;
  latched = false;
  exitsSeen = 0;
  exitsRecorded = 0;
  now = 0;
  readonly armed = new Set<TimerName>();
  readonly #policy: WorkerPolicy;

  constructor(policy: WorkerPolicy) {
    this.#policy = policy;
    this.state = initialState(policy.restarts);
  }

  /** True when the machine lets go of the worker, because another leader has it. */
  get foreign(): boolean {
    return this.state.kind === 'unknown' && this.state.reason === 'not ours';
  }

  take(choice: Choice): void {
    const happening = this.#happeningOf(choice);
    if (happening === null) {
      return;
    }
    this.now += 1_000;
    const move = transition(this.state, { ...happening, at: this.now }, this.#policy);
    this.state = move.state;
    this.latched = happening.kind === 'stopRequested' || (this.latched && happening.kind !== 'startRequested');
    for (const effect of move.effects) {
      this.#perform(effect, happening);
    }
  }

  #happeningOf(choice: Choice): WorkerHappening | null {
    switch (choice.kind) {
      case 'happening':
        return choice.happening;
      case 'timer':
        return this.armed.delete(choice.timer) ? TIMER_EVENTS[choice.timer] : null;
      case 'look':
        return this.alive ? { kind: 'provenAlive', process: aProcess } : null;
      case 'spawnEnds':
        return this.#endSpawn(choice.well);
      case 'processEnds':
        return this.#endProcess(choice);
    }
  }

  #endSpawn(well: boolean): WorkerHappening | null {
    if (!this.spawning) {
      return null;
    }
    this.spawning = false;
    this.alive = well;
    return well
      ? { kind: 'spawned', process: aProcess }
      : { kind: 'spawnFailed', cause: 'never started', text: 'Try again.' };
  }

  #endProcess(choice: Extract<Choice, { kind: 'processEnds' }>): WorkerHappening | null {
    if (!this.alive) {
      return null;
    }
    this.alive = false;
    const exit = anExit({ class: choice.class });
    if (choice.seen === 'nobody') {
      return { kind: 'provenDead', exit: null };
    }
    // Who does not own it hears no event; the next leader finds the record.
    this.exitsSeen += 1;
    return choice.seen === 'event' && !this.foreign ? { kind: 'exited', exit } : { kind: 'provenDead', exit };
  }

  #perform(effect: WorkerEffect, cause: WorkerHappening): void {
    switch (effect.kind) {
      case 'spawn':
        expect({ alive: this.alive, spawning: this.spawning }).toEqual({ alive: false, spawning: false });
        expect(this.latched && cause.kind !== 'startRequested').toBe(false);
        this.spawning = true;
        return;
      case 'armTimer':
        this.armed.add(effect.timer);
        return;
      case 'cancelTimers':
        this.armed.clear();
        return;
      case 'recordExit':
        this.exitsRecorded += 1;
        return;
      default:
        return;
    }
  }
}

function walk(policy: WorkerPolicy, check: (world: World) => void): void {
  fc.assert(
    fc.property(fc.array(choices, { maxLength: 60 }), (steps) => {
      const world = new World(policy);
      // Every walk begins with a person's start; the rest is chance.
      world.take({ kind: 'happening', happening: { kind: 'startRequested' } });
      for (const step of steps) {
        world.take(step);
        check(world);
      }
    }),
    { numRuns: 2_000 },
  );
}

const POLICIES: readonly (readonly [string, WorkerPolicy])[] = [
  ['background worker', backgroundPolicy],
  ['agent', { ...backgroundPolicy, restarts: backoffPolicy(), readyMs: 40_000 }],
];

describe.each(POLICIES)('on any walk, the %s', (_name, policy) => {
  it('never has two processes, and after a stop none without the person', () => {
    walk(policy, () => {
      // Both are checked at each spawn, where they could break.
    });
  });

  it('has no timer armed once it ended', () => {
    walk(policy, ({ state, armed }) => {
      if (['completed', 'failed', 'stopped', 'unknown'].includes(state.kind)) {
        expect([...armed]).toEqual([]);
      }
    });
  });

  it('never waits for something that nothing will bring', () => {
    walk(policy, ({ state, armed, spawning }) => {
      if (state.kind === 'starting') {
        expect(spawning || armed.has('ready')).toBe(true);
      }
      if (state.kind === 'stopping') {
        expect(armed.has('stop')).toBe(true);
      }
      if (state.kind === 'backoff') {
        expect(armed.has('backoff')).toBe(true);
      }
      if (state.kind === 'parked') {
        expect(armed.has('park')).toBe(true);
      }
    });
  });

  it('has each exit recorded exactly once', () => {
    walk(policy, ({ exitsSeen, exitsRecorded }) => {
      expect(exitsRecorded).toBe(exitsSeen);
    });
  });

  it('is called running only while its process lives', () => {
    walk(policy, ({ state, alive }) => {
      if (state.kind === 'running') {
        expect(alive).toBe(true);
      }
    });
  });
});
