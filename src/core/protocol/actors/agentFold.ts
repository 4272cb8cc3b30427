import type { EventLine } from '../events/eventLine';
import { isExitRecord } from '../keeper/readKeeperRecord';
import type { AgentMoment } from './sessionMoment';

type Data = EventLine['data'];

/** An agent's moment while it is folded. */
export type AgentDraft = {
  -readonly [K in Exclude<keyof AgentMoment, 'waiting' | 'unacked' | 'asked'>]: AgentMoment[K];
} & {
  readonly waiting: Set<number>;
  readonly unacked: Map<number, string>;
  readonly asked: Set<string>;
};

/** How many restarts are remembered for the limit of their intensity. */
const RESTARTS_KEPT = 20;

/** An agent that the log names for the first time. */
export function newAgent(): AgentDraft {
  return {
    ...newRun,
    state: null,
    byHand: false,
    process: null,
    startedAt: null,
    restarts: 0,
    restartedAt: [],
    sameEnd: null,
    taken: 0,
    waiting: new Set(),
    unacked: new Map(),
    asked: new Set(),
    recent: [],
    lastEvent: 0,
    lastEventAt: '',
  };
}

/** What a new run knows of the one before: nothing. */
const newRun = {
  connected: false,
  readyAt: null,
  endedAt: null,
  exitCode: null,
  exit: null,
  reason: null,
  stopBy: null,
  held: false,
  waitsUntil: null,
  gaveUp: null,
  dismissed: false,
  snoozedUntil: null,
  status: null,
  currentTask: null,
} satisfies Partial<AgentMoment>;

/** Does to the agent what an event about agents says; others, and data that make no sense, change nothing. */
export function changeAgent(agent: AgentDraft, { type, data, timestamp }: EventLine): void {
  switch (type) {
    case 'AgentListening':
      Object.assign(agent, newRun, { state: 'starting', byHand: true, startedAt: timestamp, process: null });
      return;
    case 'AgentStarting':
      begin(agent, data, timestamp);
      return;
    case 'AgentStarted':
      agent.state = agent.stopBy === null ? 'running' : 'stopping';
      agent.process = processIn(data) ?? agent.process;
      agent.startedAt ??= timestamp;
      agent.readyAt ??= timestamp;
      return;
    case 'AgentConnected':
      connect(agent, timestamp);
      return;
    case 'AgentDisconnected':
      agent.connected = false;
      agent.state = agent.byHand && agent.state === 'running' ? 'starting' : agent.state;
      return;
    default:
      end(agent, { type, data, timestamp });
  }
}

function begin(agent: AgentDraft, { cause }: Data, at: string): void {
  const restart = cause === 'restart';
  const forgotten = restart ? {} : { restarts: 0, sameEnd: null };
  Object.assign(agent, newRun, forgotten, { state: 'starting', byHand: false, startedAt: at, process: null });
}

function connect(agent: AgentDraft, at: string): void {
  agent.connected = true;
  if (agent.byHand) {
    agent.state = agent.stopBy === null ? 'running' : 'stopping';
    agent.readyAt ??= at;
  }
}

/** Everything about stops, ends and what follows them. */
function end(agent: AgentDraft, { type, data, timestamp }: Pick<EventLine, 'type' | 'data' | 'timestamp'>): void {
  switch (type) {
    case 'AgentStopRequested':
      agent.state = agent.state === 'starting' || agent.state === 'running' ? 'stopping' : stoppedFrom(agent.state);
      agent.stopBy = textIn(data, 'by');
      agent.held = true;
      agent.waitsUntil = null;
      return;
    case 'AgentRestartCancelled':
      agent.state = 'stopped';
      agent.stopBy = textIn(data, 'by');
      agent.held = true;
      agent.waitsUntil = null;
      return;
    case 'AgentExited':
      exited(agent, data, timestamp);
      return;
    case 'AgentCrashed':
      crashed(agent, data, timestamp);
      return;
    case 'AgentRestartScheduled':
      agent.state = 'backoff';
      agent.restarts = countIn(data, 'attempt') ?? agent.restarts;
      agent.restartedAt = [...agent.restartedAt, timestamp].slice(-RESTARTS_KEPT);
      agent.waitsUntil = textIn(data, 'at');
      return;
    case 'AgentParked':
      agent.state = 'parked';
      agent.waitsUntil = textIn(data, 'until');
      return;
    case 'AgentGaveUp':
      agent.state = 'failed';
      agent.gaveUp = textIn(data, 'reason');
      agent.held = true;
      agent.waitsUntil = null;
      return;
    default:
    // An event of a message, or of another version.
  }
}

function stoppedFrom(state: AgentMoment['state']): AgentMoment['state'] {
  return state === 'backoff' || state === 'parked' ? 'stopped' : state;
}

/** Left with 0: done; with 42, or after a request: stopped (actors.md §6). */
function exited(agent: AgentDraft, data: Data, at: string): void {
  ended(agent, data, at);
  agent.state = agent.stopBy === null && agent.exitCode === 0 ? 'completed' : 'stopped';
  agent.sameEnd = null;
}

function crashed(agent: AgentDraft, data: Data, at: string): void {
  ended(agent, data, at);
  agent.state = 'failed';
  agent.reason = textOrNull(data, 'reason');
  const { exitCode, sameEnd } = agent;
  const lastLine = textIn(data, 'lastLine');
  const again = sameEnd !== null && sameEnd.exitCode === exitCode && sameEnd.lastLine === lastLine;
  agent.sameEnd = { exitCode, lastLine, times: again ? sameEnd.times + 1 : 1 };
}

function ended(agent: AgentDraft, data: Data, at: string): void {
  const { exitCode, exit } = data;
  agent.connected = false;
  agent.exit = isExitRecord(exit) ? exit : null;
  agent.endedAt = agent.exit?.at ?? at;
  agent.exitCode = typeof exitCode === 'number' ? exitCode : null;
  agent.waitsUntil = null;
}

function processIn({ pid, startTime }: Data): AgentMoment['process'] {
  return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : null;
}

/** The text under that key, or an empty one. */
export function textIn(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? value : '';
}

/** The same, or null where there is none. */
export function textOrNull(data: Data, key: string): string | null {
  const text = textIn(data, key);
  return text === '' ? null : text;
}

/** The whole number under that key that is not negative, or null. */
export function countIn(data: Data, key: string): number | null {
  const value = data[key];
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
