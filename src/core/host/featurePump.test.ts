import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../base/logger';
import { defaultThresholds, type FeaturesSnapshot } from '../protocol/features/featureSnapshot';
import { FeaturePump, type FeaturePumpOptions } from './featurePump';

const nothing: FeaturesSnapshot = {
  at: 0,
  thresholds: defaultThresholds,
  features: [],
  currentFeature: null,
  unattributedHeartbeats: [],
  unattributedEscalations: [],
  projectProgress: null,
  diagnostics: [],
};

/** A clock whose two sides are set by hand, and whose timers run when `pass` says so. */
function twoClocks(): FeaturePumpOptions['clock'] & { pass(wallMs: number, monotonicMs: number): void } {
  let wall = 1_000_000;
  let monotonic = 0;
  let waiting: (() => void)[] = [];
  return {
    now: () => wall,
    monotonic: () => monotonic,
    schedule(_delayMs, run) {
      waiting.push(run);
      return {
        dispose: () => {
          waiting = waiting.filter((one) => one !== run);
        },
      };
    },
    pass(wallMs, monotonicMs) {
      wall += wallMs;
      monotonic += monotonicMs;
      const due = waiting;
      waiting = [];
      for (const run of due) {
        run();
      }
    },
  };
}

interface Pumped {
  readonly clock: ReturnType<typeof twoClocks>;
  readonly told: FeaturesSnapshot[];
  readonly graces: boolean[];
  /** Resolves once the pump has looked so often. */
  readonly looked: (times: number) => Promise<void>;
}

function pumped(ticking: boolean, snapshotAt: (look: number) => FeaturesSnapshot): Pumped {
  const clock = twoClocks();
  const told: FeaturesSnapshot[] = [];
  const graces: boolean[] = [];
  const pump = new FeaturePump({
    look: async (grace) => {
      graces.push(grace);
      return Promise.resolve(snapshotAt(graces.length));
    },
    folders: async () => Promise.resolve([]),
    clock,
    logger: silentLogger,
    ticking,
    listener: (snapshot) => told.push(snapshot),
  });
  onTestFinished(() => {
    pump.dispose();
  });
  pump.start();
  const looked = async (times: number): Promise<void> => {
    await expect.poll(() => graces.length).toBe(times);
    // What follows a look on the same turn: the folders, the listener, the next timer.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, told, graces, looked };
}

describe('whoever follows feature runs', () => {
  it.each([
    [false, 1],
    [true, 3],
  ])('is told of ages that went on only when it asked for them (%s)', async (ticking, times) => {
    const { clock, told, looked } = pumped(ticking, (look) => ({ ...nothing, at: look * 1000 }));
    await looked(1);
    clock.pass(1000, 1000);
    await looked(2);
    clock.pass(1000, 1000);
    await looked(3);
    expect(told).toHaveLength(times);
  });

  it('is told of a change at the next look at the latest', async () => {
    const { clock, told, looked } = pumped(false, (look) => ({ ...nothing, diagnostics: look > 1 ? ['torn'] : [] }));
    await looked(1);
    clock.pass(1000, 1000);
    await looked(2);
    expect(told.map(({ diagnostics }) => diagnostics)).toEqual([[], ['torn']]);
  });

  it.each([
    ['a sleep', 3_600_000],
    ['a clock that was set back', -3_600_000],
  ])('calls nobody stale for thirty seconds after %s', async (_what, jump) => {
    const { clock, graces, looked } = pumped(false, () => nothing);
    await looked(1);
    clock.pass(jump, 1000);
    await looked(2);
    clock.pass(28_000, 28_000);
    await looked(3);
    clock.pass(2_000, 2_000);
    await looked(4);
    expect(graces).toEqual([false, true, true, false]);
  });
});
