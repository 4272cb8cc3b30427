import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import { stateWord } from '../stateWord';
import { type Icon, workerIcon } from '../workerIcon';
import { spoken, type WorkerRow } from '../workerRow';
import type { Reader } from '../words';
import { agentDescription, asksPerson } from './agentDescription';

/** Quiet: it is configured and nobody needed it yet. */
const NEVER_STARTED: Icon = { name: 'circle-outline', color: 'disabledForeground' };

function iconOf(agent: AgentSnapshot): Icon {
  const { state, health } = agent;
  const attention = asksPerson(agent) ? agent.attention : null;
  return state === null ? NEVER_STARTED : workerIcon({ state, health, attention, problem: null, fuses: null });
}

/** What a person can do about an agent's process now; menus hang on it. */
export type AgentPower = 'up' | 'down' | 'waits';

/** `up` can be stopped, `down` can be started, `waits` for a restart that can be hurried or cancelled. */
export function agentPower({ state }: AgentSnapshot): AgentPower {
  switch (state) {
    case 'starting':
    case 'running':
    case 'stopping':
      return 'up';
    case 'backoff':
    case 'parked':
      return 'waits';
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'unknown':
    case null:
      return 'down';
  }
}

/**
 * How an agent looks in every surface. For menus: `agent.<state|new>.<up|down|waits>`, then `.asks` where an answer can be
 * given, and `.messages` where it has any.
 */
export function agentRow(agent: AgentSnapshot, reader: Reader): WorkerRow {
  const description = agentDescription(agent, reader);
  const state = agent.state === null ? '' : stateWord(agent.state, reader.t);
  const marks = [...(asksPerson(agent) ? ['asks'] : []), ...(agent.messages.length > 0 ? ['messages'] : [])];
  return {
    label: agent.name,
    description,
    icon: iconOf(agent),
    contextValue: ['agent', agent.state ?? 'new', agentPower(agent), ...marks].join('.'),
    accessibleLabel: spoken(agent.name, description.startsWith(state) ? '' : state, description),
  };
}
