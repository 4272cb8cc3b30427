import { pause } from './chaosProcesses';
import { messageFaults } from './messageFaults';
import type { MessagePlan } from './messagePlan';
import { type MessagePrograms, MessageWorld } from './messageWorld';

/** What a round came to. */
export interface MessageReport {
  /** Messages that agents were told to be safe, and how long that took. */
  readonly safe: number;
  readonly seconds: number;
  readonly kills: number;
  readonly violations: readonly string[];
  /** One line per kill, for whoever looks for the cause. */
  readonly trace: readonly string[];
}

/** Nothing may stand still for so long: a takeover takes two seconds, a restart of everything ten. */
const STILL_MS = 60_000;
const POLL_MS = 50;
const CLEAN_TRIES = 120;

/** Has agents talk, kills whom the plan names, waits until all is said and heard, and says what does not hold. */
export async function playMessages(plan: MessagePlan, programs: MessagePrograms): Promise<MessageReport> {
  const world = await MessageWorld.open(plan, programs);
  const trace: string[] = [];
  try {
    await world.openWindows();
    await world.begin();
    const from = performance.now();
    const total = plan.messagesEach * (plan.agents.length + plan.oldAgents.length);
    for (const kill of plan.kills) {
      await untilCounted(world, 'got', kill.at * total);
      await pause(kill.pauseMs);
      const killed = await world.kill(kill);
      const at = ((performance.now() - from) / 1000).toFixed(1);
      trace.push(`${at} s, ${String(world.count().got)} begun: ${killed.join(' and ')} (${kill.agent})`);
      await world.openWindows();
    }
    await untilCounted(world, 'safe', total);
    const seconds = (performance.now() - from) / 1000;
    const violations = await untilClean(world, plan);
    return { safe: world.count().safe, seconds, kills: trace.length, violations, trace };
  } finally {
    await world.close();
  }
}

/** Resolves once so many messages are there, or when that does not go on. */
async function untilCounted(world: MessageWorld, what: 'safe' | 'got', count: number): Promise<void> {
  let [last, since] = [world.count()[what], performance.now()];
  while (last < count && performance.now() - since < STILL_MS) {
    await pause(POLL_MS);
    const now = world.count()[what];
    [last, since] = now > last ? [now, performance.now()] : [last, since];
  }
}

/** What is on its way arrives; then the agents are stopped, and nobody may stay. */
async function untilClean(world: MessageWorld, plan: MessagePlan): Promise<readonly string[]> {
  const broken = await untilNone(() => messageFaults(world, plan));
  const refused = await world.stop();
  const left = await untilNone(() => world.others().map((one) => `orphan ${one}`));
  const after = messageFaults(world, plan).filter((one) => !broken.includes(one));
  return [...broken, ...(refused === null ? [] : [refused]), ...left, ...after.map((one) => `after the stop: ${one}`)];
}

async function untilNone(look: () => readonly string[]): Promise<readonly string[]> {
  let left = look();
  for (let attempt = 0; left.length > 0 && attempt < CLEAN_TRIES; attempt += 1) {
    await pause(500);
    left = look();
  }
  return left;
}
