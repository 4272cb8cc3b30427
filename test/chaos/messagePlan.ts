import { seededRandom } from '../support/seededRandom';

/** Who is killed at once; `agent` is its process, and one of its number is meant. */
const VICTIMS = {
  leader: ['leader'],
  keeper: ['keeper'],
  agent: ['agent'],
  keeperAndAgent: ['keeper', 'agent'],
  leaderAndKeeper: ['leader', 'keeper'],
  leaderAndAgent: ['leader', 'agent'],
  all: ['leader', 'keeper', 'agent'],
} as const;

/** How likely each is to be hit next. */
const WEIGHTS: readonly (keyof typeof VICTIMS)[] = [
  ...(['leader', 'leader', 'leader', 'keeper', 'keeper', 'keeper', 'agent', 'agent'] as const),
  ...(['keeperAndAgent', 'leaderAndKeeper', 'leaderAndAgent', 'all'] as const),
];

export interface MessageKill {
  /** Once this share of all messages was begun by their recipients, from 0 to 1. */
  readonly at: number;
  /** Waited behind that, milliseconds. */
  readonly pauseMs: number;
  readonly whom: readonly ('leader' | 'keeper' | 'agent')[];
  readonly agent: string;
}

/** What one round does. The same seed gives the same plan; the instants at which it hits belong to the machine. */
export interface MessagePlan {
  readonly seed: number;
  /** Agents that have our runtime, and such that connect as existing ones do. */
  readonly agents: readonly string[];
  readonly oldAgents: readonly string[];
  /** So many messages has each agent accepted in the end. */
  readonly messagesEach: number;
  readonly kills: readonly MessageKill[];
}

export interface MessageAmounts {
  readonly agents: number;
  readonly oldAgents: number;
  readonly messages: number;
  readonly kills: number;
}

/** An agent that ends more often within a quarter of an hour is given up (actors.md §6). */
const ENDS_EACH = 4;

/** The plan of a seed. */
export function messagePlanOf(seed: number, amounts: MessageAmounts): MessagePlan {
  const random = seededRandom(seed);
  const names = Array.from({ length: amounts.agents }, (_none, index) => `a${String(index + 1).padStart(2, '0')}`);
  const ends = new Map<string, number>();
  const oldAgents = names.slice(amounts.agents - amounts.oldAgents);
  const kills = Array.from({ length: amounts.kills }, (_none, index): MessageKill => {
    const agent = names[random.below(names.length)] ?? '';
    const whom = VICTIMS[WEIGHTS[random.below(WEIGHTS.length)] ?? 'leader'];
    const pauseMs = random.below(150);
    const at = (index + 0.5) / (amounts.kills + 1);
    // An existing agent ends with its keeper.
    const isEnded = whom.some((one) => one === 'agent' || (one === 'keeper' && oldAgents.includes(agent)));
    ends.set(agent, (ends.get(agent) ?? 0) + (isEnded ? 1 : 0));
    return { at, pauseMs, agent, whom: (ends.get(agent) ?? 0) > ENDS_EACH ? ['leader'] : whom };
  });
  return {
    seed,
    agents: names.slice(0, amounts.agents - amounts.oldAgents),
    oldAgents,
    messagesEach: Math.ceil(amounts.messages / amounts.agents),
    kills,
  };
}
