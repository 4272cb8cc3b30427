import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aProcess, anExit } from '../../../test/support/workerFacts';
import { backoffPolicy } from './restartPolicy';
import { transition } from './transition';
import type { WorkerHappening } from './workerEvent';
import { backgroundPolicy, type WorkerPolicy } from './workerPolicy';
import { initialState, type WorkerState } from './workerState';

/** The restarts that lifecycle §4 and §9 promise; background workers are never restarted, so they cannot show them. */
const policy: WorkerPolicy = { ...backgroundPolicy, restarts: backoffPolicy() };
const MINUTE = 60_000;
const spawned = { kind: 'spawned', process: aProcess } as const;
const crashed = { kind: 'exited', exit: anExit({ code: 1, class: 'crash' }) } as const;

/** One worker over time, with the effects that were asked for. */
class Walk {
  state: WorkerState = initialState(policy.restarts);
  spawns = 0;
  at = 0;

  hear(...happenings: readonly WorkerHappening[]): this {
    for (const happening of happenings) {
      const move = transition(this.state, { ...happening, at: this.at }, policy);
      this.state = move.state;
      this.spawns += move.effects.filter(({ kind }) => kind === 'spawn').length;
    }
    return this;
  }

  later(ms: number): this {
    this.at += ms;
    return this;
  }
}

describe('a worker that may be restarted', () => {
  it('and crashes at each boot in the same way is given up after three restarts', () => {
    const walk = new Walk().hear({ kind: 'startRequested' });
    while (walk.state.kind === 'starting') {
      walk.hear(spawned, crashed).later(MINUTE).hear({ kind: 'backoffElapsed' });
    }
    expect(walk.state).toMatchObject({ kind: 'failed', cause: 'crash', restartsSpent: 3 });
    expect(walk.spawns).toBe(4);
  });

  it('and crashes just after each time that it counted as stable is given up all the same', () => {
    const walk = new Walk().hear({ kind: 'startRequested' });
    for (let life = 0; life < 20 && walk.state.kind === 'starting'; life += 1) {
      walk.hear(spawned).later(policy.stableMs).hear({ kind: 'stableElapsed' }).later(1);
      walk.hear(crashed).later(MINUTE).hear({ kind: 'backoffElapsed' });
    }
    expect(walk.state.kind).toBe('failed');
    expect(walk.spawns).toBe(6);
  });

  it('is not started again by an exit of 0 or of 42 at any moment of its life, also while it waits for a restart', () => {
    const done = { kind: 'exited', exit: anExit() } as const;
    const askedTo42 = { kind: 'exited', exit: anExit({ code: 42, class: 'asked to stop' }) } as const;
    const before = fc.array(fc.constantFrom<WorkerHappening>(spawned, { kind: 'stableElapsed' }, crashed), {
      maxLength: 6,
    });
    const noise = fc.array(
      fc.constantFrom<WorkerHappening>({ kind: 'backoffElapsed' }, { kind: 'parkElapsed' }, { kind: 'stableElapsed' }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(before, fc.constantFrom(done, askedTo42), noise, (lived, end, after) => {
        const walk = new Walk().hear({ kind: 'startRequested' }, ...lived);
        const alive = walk.state.kind === 'running' || walk.state.kind === 'starting';
        walk.hear(end);
        const spawns = walk.spawns;
        walk.hear(...after);
        // One that waits for its restart has ended already: an exit told twice neither hastens nor doubles it.
        const due = !alive && walk.spawns > spawns ? 1 : 0;
        expect(walk.spawns).toBe(spawns + due);
        expect(alive && walk.state.kind !== 'completed' && walk.state.kind !== 'stopped').toBe(false);
      }),
    );
  });

  it('and is stopped while it waits for its restart stays stopped, whatever fires later', () => {
    const walk = new Walk().hear({ kind: 'startRequested' }, spawned, crashed);
    expect(walk.state.kind).toBe('backoff');
    walk.hear({ kind: 'stopRequested', by: 'vscode', force: false }).later(MINUTE);
    walk.hear({ kind: 'backoffElapsed' }, { kind: 'stableElapsed' }, spawned, { kind: 'ownershipLost' });
    expect([walk.state.kind, walk.spawns]).toEqual(['stopped', 1]);
  });
});
