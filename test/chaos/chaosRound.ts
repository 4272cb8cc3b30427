import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { isActive } from '../../src/core/protocol/workers/statusWord';
import { act, removeDamagedLeases } from './chaosActions';
import type { ChaosPlan } from './chaosPlan';
import { markedProcesses, pause, signal } from './chaosProcesses';
import { type ChaosPrograms, ChaosWorld } from './chaosWorld';
import { raiseFleet } from './raiseFleet';
import { brokenInvariants } from './invariants';
import { TruthWatch } from './truthWatch';

/** What a round came to. */
export interface ChaosReport {
  readonly seed: number;
  readonly workers: number;
  /** So many were alive at once when the fleet stood; 0 without one. */
  readonly atOnce: number;
  readonly violations: readonly string[];
  /** One line per step, for whoever looks for the cause. */
  readonly trace: readonly string[];
}

const REST_TRIES = 90;
const CLEAN_TRIES = 40;

/** Plays a plan, lets the world come to rest as a person would, and says what does not hold. Leaves nothing behind. */
export async function playChaos(plan: ChaosPlan, programs: ChaosPrograms): Promise<ChaosReport> {
  const world = await ChaosWorld.open(plan, programs);
  const watch = new TruthWatch(world);
  try {
    const played = await play(world, plan);
    const unrest = await comeToRest(world);
    const broken = unrest.length > 0 ? unrest : await untilClean(world);
    const workers = world.workerIds().length;
    const missing =
      played.atOnce < plan.fleet ? [`only ${played.atOnce} of ${plan.fleet} workers came to live at once`] : [];
    return { seed: plan.seed, workers, ...played, violations: [...watch.lies, ...missing, ...broken] };
  } finally {
    watch.stop();
    await world.close();
  }
}

async function play(world: ChaosWorld, plan: ChaosPlan): Promise<Pick<ChaosReport, 'atOnce' | 'trace'>> {
  const trace: string[] = [];
  const from = performance.now();
  for (let window = 0; window < plan.windows; window += 1) {
    world.openWindow();
  }
  const atOnce = plan.fleet === 0 ? 0 : await raiseFleet(world, plan.fleet);
  for (const step of plan.steps) {
    await pause(step.pauseMs);
    const outcome = await act(world, step).then(
      () => 'done',
      (error: unknown) => `not possible: ${String(error)}`,
    );
    const at = ((performance.now() - from) / 1000).toFixed(1);
    trace.push(`${at} s ${step.action} ${step.target.toFixed(3)} ${step.amount.toFixed(3)} ${outcome}`);
  }
  return { atOnce, trace };
}

/** Mends what was broken around the product, has everything stopped, and waits; gives what does not end. */
async function comeToRest(world: ChaosWorld): Promise<readonly string[]> {
  world.thawAll();
  world.freeDisk();
  removeDamagedLeases(world);
  for (const window of world.openWindows) {
    window.moveClock('+0');
    if (window.isPoor) {
      signal(window.pid, 'SIGKILL');
    }
  }
  world.openWindow();
  writeFileSync(join(world.startsDir, 'finish'), '');
  let left: readonly string[] = [];
  for (let attempt = 0; attempt < REST_TRIES; attempt += 1) {
    left = whoMoves(world, await world.observer.look().then(({ workers }) => workers));
    if (left.length === 0) {
      return [];
    }
    if (attempt % 5 === 0) {
      await world.observer.stopAll({ force: true, requestedBy: 'cli' });
    }
    await pause(1_000);
  }
  return left.map((one) => `does not come to rest: ${one}`);
}

const MOVING = new Set(['starting', 'running', 'stopping', 'backoff', 'parked']);

function whoMoves(world: ChaosWorld, workers: readonly WorkerSnapshot[]): readonly string[] {
  const rows = workers
    .filter(({ state, entry }) => MOVING.has(state) || isActive(entry.status))
    .filter(({ workerId, folder }) => !isAbandonedClaim(world, workerId, folder))
    .map(({ workerId, state, evidence }) => `${workerId} is ${state}: ${JSON.stringify(evidence)}`);
  const windows = new Set(world.openWindows.map(({ pid }) => pid));
  const processes = markedProcesses(world.mark)
    .filter(({ pid }) => !windows.has(pid))
    .map(({ pid, command, workerId }) => `process ${pid} of ${workerId ?? 'no worker'}: ${command}`);
  return [...rows, ...processes];
}

/** A leader that is killed between the claim of a folder and the spawn leaves a row that is given up only with time. */
function isAbandonedClaim({ startsDir }: ChaosWorld, workerId: string, folder: string): boolean {
  return !existsSync(join(startsDir, workerId)) && !existsSync(join(folder, 'keeper.json'));
}

/** What a killed process left may be cleaned up a little later; what stays is reported. */
async function untilClean(world: ChaosWorld): Promise<readonly string[]> {
  const last = world.runTerminal(['start', 'quick', '--wait']);
  const said = last.stdout === null ? '' : text(last.stdout);
  const [code] = (await once(last, 'close')) as [number | null];
  const refused = code === 0 ? [] : [`after all of this a start ends with ${String(code)}: ${await said}`];
  let broken = brokenInvariants(world);
  for (let attempt = 0; broken.length > 0 && attempt < CLEAN_TRIES; attempt += 1) {
    await pause(500);
    broken = brokenInvariants(world);
  }
  return [...refused, ...broken];
}
