import { type SeededRandom, seededRandom } from '../support/seededRandom';

/** How likely each thing is to happen next. The first five are what people do, the rest is what befalls them. */
const WEIGHTS = {
  startInWindow: 8,
  startInTerminal: 5,
  stopInWindow: 4,
  stopInTerminal: 3,
  openWindow: 4,
  killLeader: 3,
  killWindow: 2,
  killKeeper: 3,
  killWorker: 2,
  killKeeperAndWorker: 1,
  killTerminal: 3,
  freezeLeader: 2,
  freezeKeeper: 1,
  tearStatus: 2,
  tearKeeperRecord: 2,
  tearRegistry: 2,
  tearLease: 1,
  deleteFolder: 1,
  removeSocket: 1,
  jumpClock: 2,
  fewDescriptors: 2,
  fillDisk: 2,
} as const;

/** The same for a fleet that stands already: only what befalls it, mostly the death of keepers and leaders. */
const FLEET_WEIGHTS: Readonly<Partial<Record<ChaosAction, number>>> = {
  killKeeper: 10,
  killLeader: 4,
  killWindow: 2,
  openWindow: 5,
  killWorker: 2,
  killKeeperAndWorker: 2,
  stopInWindow: 2,
  freezeLeader: 1,
  removeSocket: 1,
};

export type ChaosAction = keyof typeof WEIGHTS;

export interface ChaosStep {
  readonly action: ChaosAction;
  /** Waited before the step. */
  readonly pauseMs: number;
  /** In [0, 1): which of those that the action can hit. */
  readonly target: number;
  /** In [0, 1): how much, how long, or where the action hits. */
  readonly amount: number;
}

/** What one round does. The same seed gives the same plan; the instants at which it hits belong to the machine. */
export interface ChaosPlan {
  readonly seed: number;
  readonly windows: number;
  /** The project lies on a small disk of its own, which can be filled. */
  readonly smallDisk: boolean;
  /** So many workers run before the first step; 0 where the steps themselves start them. */
  readonly fleet: number;
  readonly steps: readonly ChaosStep[];
}

/** The plan of a seed. */
export function planOf(seed: number, stepCount: number): ChaosPlan {
  const random = seededRandom(seed);
  const windows = 2 + random.below(4);
  const smallDisk = fractionOf(random) < 0.4;
  return { seed, windows, smallDisk, fleet: 0, steps: stepsOf(random, stepCount, WEIGHTS) };
}

/** The plan of a seed for a fleet of so many workers at once. */
export function fleetPlanOf(seed: number, stepCount: number, fleet: number): ChaosPlan {
  const random = seededRandom(seed);
  return { seed, windows: 3, smallDisk: false, fleet, steps: stepsOf(random, stepCount, FLEET_WEIGHTS) };
}

type Weights = Readonly<Partial<Record<ChaosAction, number>>>;

function stepsOf(random: SeededRandom, count: number, weights: Weights): readonly ChaosStep[] {
  return Array.from({ length: count }, () => ({
    action: actionAt(fractionOf(random), weights),
    pauseMs: Math.round(fractionOf(random) ** 2 * 900),
    target: fractionOf(random),
    amount: fractionOf(random),
  }));
}

function fractionOf(random: SeededRandom): number {
  return random.below(1_000_000) / 1_000_000;
}

/** The action at this place of the line on which each one takes as much room as it has weight. */
function actionAt(place: number, weights: Weights): ChaosAction {
  const actions = Object.keys(weights) as ChaosAction[];
  const line = actions.flatMap((action) => Array.from({ length: weights[action] ?? 0 }, () => action));
  return line[Math.floor(place * line.length)] ?? 'openWindow';
}
