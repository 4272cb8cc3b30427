import { pause } from './chaosProcesses';
import { type ChaosWorld, FLEET_TYPE } from './chaosWorld';

const BATCH = 20;
const LOOK_MS = 250;
/** A window that was killed takes the requests that it was given with it; after so long they are given up. */
const BATCH_MS = 20_000;
const TRIES = 60;

/**
 * Has so many workers started at once, by all windows; halfway the leader is killed with starts on their way. Gives how
 * many live then, which are all of them unless the product is stuck.
 */
export async function raiseFleet(world: ChaosWorld, size: number): Promise<number> {
  let standing = 0;
  let leaderKilled = false;
  for (let attempt = 0; standing < size && attempt < TRIES; attempt += 1) {
    askForMore(world, Math.min(BATCH, size - standing));
    if (!leaderKilled && standing >= size / 2) {
      leaderKilled = true;
      await pause(LOOK_MS);
      world.kill(world.leaderPid() ?? -1);
      world.openWindow();
    }
    standing = await untilAlive(world, Math.min(size, standing + BATCH));
  }
  return standing;
}

function askForMore({ openWindows }: ChaosWorld, count: number): void {
  for (let asked = 0; asked < count; asked += 1) {
    openWindows[asked % openWindows.length]?.say(`start ${FLEET_TYPE}`);
  }
}

async function untilAlive(world: ChaosWorld, wanted: number): Promise<number> {
  const until = performance.now() + BATCH_MS;
  let alive = world.living().length;
  while (alive < wanted && performance.now() < until) {
    await pause(LOOK_MS);
    alive = world.living().length;
  }
  return alive;
}
