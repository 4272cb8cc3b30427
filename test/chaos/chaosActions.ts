import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import type { ChaosAction, ChaosStep } from './chaosPlan';
import { pause, signal } from './chaosProcesses';
import { type ChaosWorld, KINDS } from './chaosWorld';

type Act = (world: ChaosWorld, step: ChaosStep) => Promise<void> | void;

/** Does what the step says, to whom it can be done at this moment. */
export async function act(world: ChaosWorld, step: ChaosStep): Promise<void> {
  await ACTIONS[step.action](world, step);
}

const ACTIONS: Readonly<Record<ChaosAction, Act>> = {
  startInWindow: (world, step) => {
    pick(world.openWindows, step.target)?.say(`start ${kindOf(step)}`);
  },
  startInTerminal: (world, step) => {
    world.runTerminal(['start', kindOf(step)]);
  },
  stopInWindow: (world, { target, amount }) => {
    const worker = pick(world.living(), amount);
    if (worker !== undefined) {
      pick(world.openWindows, target)?.say(`${target < 0.5 ? 'stop' : 'force'} ${worker.workerId}`);
    }
  },
  stopInTerminal: (world, { target, amount }) => {
    const worker = pick(world.living(), target);
    if (worker !== undefined) {
      world.runTerminal(['stop', worker.workerId, ...(amount < 0.5 ? ['--force'] : [])]);
    }
  },
  openWindow: (world) => {
    if (world.openWindows.length < 5) {
      world.openWindow();
    }
  },
  killLeader: (world) => {
    const pid = world.leaderPid();
    if (pid !== null && world.openWindows.some((window) => window.pid === pid)) {
      signal(pid, 'SIGKILL');
    }
  },
  killWindow: (world, { target }) => {
    const window = pick(world.openWindows, target);
    if (window !== undefined) {
      signal(window.pid, 'SIGKILL');
    }
  },
  killKeeper: (world, { target }) => {
    kill(world, pick(world.living(), target), ['keeper']);
  },
  killWorker: (world, { target }) => {
    kill(world, pick(world.living(), target), ['process']);
  },
  killKeeperAndWorker: (world, { target }) => {
    kill(world, pick(world.living(), target), ['keeper', 'process']);
  },
  killTerminal: async (world, { target, amount, ...step }) => {
    const terminal = world.runTerminal(['start', kindOf({ ...step, target, amount })]);
    await pause(amount * 500);
    if (terminal.pid !== undefined && terminal.exitCode === null) {
      signal(terminal.pid, 'SIGKILL');
    }
  },
  freezeLeader: (world, { amount }) => {
    world.freeze(world.leaderPid() ?? -1, amount > 0.95 ? 22_000 : amount ** 2 * 9_000);
  },
  freezeKeeper: (world, { target, amount }) => {
    world.freeze(pick(world.living(), target)?.keeper.pid ?? -1, amount * 1_000);
  },
  tearStatus: (world, { target, amount }) => {
    const workerId = pick(world.workerIds(), target);
    if (workerId !== undefined) {
      tear(join(world.workersDir, workerId, 'status.json'), amount);
    }
  },
  tearKeeperRecord: (world, { target, amount }) => {
    // Without its keeper and its record at once, nobody could tell any more whose process it is.
    const worker = pick(
      world.living().filter(({ keeper }) => world.isAlive(keeper.pid)),
      target,
    );
    if (worker !== undefined) {
      world.damaged.add(worker.workerId);
      tear(join(world.workersDir, worker.workerId, 'keeper.json'), amount);
    }
  },
  tearRegistry: (world, { amount }) => {
    world.registryTorn = true;
    tear(join(world.workersDir, 'registry.json'), amount);
  },
  tearLease: async (world, { amount }) => {
    const lease = readdirSync(world.workersDir).find((name) => /^leader\.\d+\.json$/.test(name));
    if (lease !== undefined) {
      tear(join(world.workersDir, lease), amount);
      await pause(amount * 1_500);
      removeDamagedLeases(world);
    }
  },
  deleteFolder: (world, { target }) => {
    const worker = pick(world.living(), target);
    if (worker !== undefined) {
      world.damaged.add(worker.workerId);
      rmSync(join(world.workersDir, worker.workerId), { recursive: true, force: true });
    }
  },
  removeSocket: (world, { target }) => {
    rmSync(pick(world.living(), target)?.endpoint ?? '', { force: true });
  },
  jumpClock: (world, { target, amount }) => {
    pick(world.openWindows, target)?.moveClock(amount < 0.4 ? '-1h' : amount < 0.8 ? '+8h' : '+0');
  },
  fewDescriptors: (world, { target, amount, ...step }) => {
    if (amount < 0.7) {
      world.runTerminal(['start', kindOf({ ...step, target, amount })], Math.round(20 + amount * 30));
    } else if (world.openWindows.length < 5) {
      world.openWindow(Math.round(25 + (amount - 0.7) * 150));
    }
  },
  fillDisk: async (world, { amount }) => {
    if (world.canFillDisk) {
      world.fillDisk();
      await pause(amount * 2_500);
      world.freeDisk();
    }
  },
};

/** What the message about a damaged lease tells the person to do. */
export function removeDamagedLeases(world: ChaosWorld): void {
  for (const name of readdirSync(world.workersDir).filter((one) => /^leader\.\d+\.json$/.test(one))) {
    try {
      JSON.parse(readFileSync(join(world.workersDir, name), 'utf8'));
    } catch {
      rmSync(join(world.workersDir, name), { force: true });
    }
  }
}

function kindOf({ target }: ChaosStep): string {
  return pick(KINDS, (target * 7) % 1) ?? 'quick';
}

function pick<T>(items: readonly T[], target: number): T | undefined {
  return items[Math.floor(target * items.length)];
}

function kill(world: ChaosWorld, record: KeeperRecord | undefined, whom: readonly ('keeper' | 'process')[]): void {
  for (const one of whom) {
    world.kill(record?.[one]?.pid ?? -1);
  }
}

/** Leaves only the first part of a file, as a writer leaves it that does not rename and is killed. */
function tear(path: string, amount: number): void {
  if (!existsSync(path)) {
    return;
  }
  const text = readFileSync(path);
  if (amount < 0.3) {
    truncateSync(path, Math.floor((amount / 0.3) * text.length));
  } else {
    writeFileSync(path, text.subarray(0, Math.floor(((amount - 0.3) / 0.7) * text.length)));
  }
}
