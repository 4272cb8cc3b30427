import { coordinatorName, everybody, personName, supervisorName } from './agentName';
import { itemKindOf } from './inboxFold';
import { isValidationAsWork } from './legacyTypes';
import type { Message } from './message';
import type { AgentMoment, SessionMoment } from './sessionMoment';
import { unknownAgentText } from './sessionTexts';

/** What is to be done with a message. */
export interface Route {
  /** The agents that get it. */
  readonly recipients: readonly string[];
  /** Those of them that are started for it where they do not run. */
  readonly starts: readonly string[];
  /** Whether the person gets it: to act upon, or to see what a coordinator has. */
  readonly inbox: 'act' | 'copy' | null;
  /** Why nobody gets it, for its sender; null where somebody does. */
  readonly refusal: string | null;
}

/** What a message may find: the agents of the configuration and those that are listened for, and what the log tells. */
export interface RoutingTable {
  readonly agents: readonly string[];
  readonly moment: SessionMoment;
}

const nowhere: Route = { recipients: [], starts: [], inbox: null, refusal: null };

/** Who gets a message (actors.md §5). Decided once, before it is written down; a name in another case is that name. */
export function routeMessage(message: Message, table: RoutingTable): Route {
  const to = message.to.toLowerCase();
  if (to === everybody) {
    return { ...nowhere, recipients: runningExcept(message.from, table) };
  }
  if (table.agents.includes(to)) {
    return routeToAgent(message, to, table);
  }
  if (to === supervisorName) {
    // It answers no questions, and whoever asks them must not wait for ever.
    return { ...nowhere, inbox: asksPerson(message) ? 'act' : null };
  }
  const isForPerson = (to === coordinatorName || to === personName) && message.from !== personName;
  return isForPerson
    ? { ...nowhere, inbox: 'act' }
    : { ...nowhere, refusal: unknownAgentText(message.to, table.agents) };
}

function routeToAgent(message: Message, to: string, table: RoutingTable): Route {
  if (isShutdown(message) && !isUp(to, table)) {
    // In a mailbox it would end the agent's next run, and the work with it that started that.
    return nowhere;
  }
  const inbox = to === coordinatorName && asksPerson(message) ? 'copy' : null;
  return { ...nowhere, recipients: [to], starts: mayStart(message, to, table) ? [to] : [], inbox };
}

function asksPerson(message: Message): boolean {
  return message.from !== personName && itemKindOf(message) !== null;
}

function isShutdown({ type, payload }: Message): boolean {
  return type === 'System' && payload['systemEvent'] === 'shutdown';
}

function isUp(agent: string, { moment }: RoutingTable): boolean {
  const state = moment.agents.get(agent)?.state;
  return state === 'running' || state === 'starting' || state === 'stopping';
}

function runningExcept(sender: string, { agents, moment }: RoutingTable): readonly string[] {
  return agents.filter((name) => name !== sender && moment.agents.get(name)?.state === 'running');
}

/** A person starts anybody; others nobody who is held back, and only while the session goes on. */
function mayStart(message: Message, to: string, { moment }: RoutingTable): boolean {
  const agent = moment.agents.get(to);
  if (message.from === personName) {
    return isOwed(message, agent);
  }
  const goesOn = moment.session !== null && moment.session.stoppedAt === null;
  return goesOn && agent?.held !== true && isOwed(message, agent);
}

/** Work, a validation, or the answer for which the agent left. */
function isOwed({ type, from, payload, inReplyTo }: Message, agent: AgentMoment | undefined): boolean {
  switch (type) {
    case 'WorkAssign':
      return from === coordinatorName || from === personName || isValidationAsWork(payload);
    case 'ValidationRequest':
      return true;
    case 'Response':
      return inReplyTo !== undefined && agent?.asked.has(inReplyTo) === true;
    default:
      return false;
  }
}
