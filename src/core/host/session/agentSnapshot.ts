import type { EngineAgentRecord } from '../../protocol/actors/engineAgentRecord';
import { newAgent } from '../../protocol/actors/agentFold';
import { agentMessages } from '../../protocol/actors/agentMessages';
import type { AgentMoment, SessionMoment } from '../../protocol/actors/sessionMoment';
import type { AgentSnapshot, InboxItem } from '../../protocol/actors/sessionSnapshot';
import { spentRestarts } from '../../protocol/actors/spentRestarts';
import type { AgentConfig } from '../../protocol/config/configModel';
import { engineSnapshot } from '../../protocol/engines/engineSnapshot';
import type { Attention, Evidence, WorkerStateKind } from '../../protocol/snapshot';
import type { KeeperFacts } from '../../protocol/workerFacts';
import type { AgentPaths } from '../../mailbox/sessionPaths';
import { agentPolicy, DEFAULT_MAX_RESTARTS } from '../../supervisor/agentPolicy';
import { transition } from '../../supervisor/transition';
import type { WorkerHappening } from '../../supervisor/workerEvent';
import type { WorkerState } from '../../supervisor/workerState';
import { stateFromLog } from './agentStates';

/** Everything that is known about one agent at a look. */
export interface AgentFacts {
  readonly name: string;
  readonly config: AgentConfig | null;
  readonly moment: SessionMoment;
  readonly keeper: KeeperFacts | null;
  readonly engine: EngineAgentRecord | null;
  readonly inbox: readonly InboxItem[];
  readonly paths: AgentPaths;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The keeper writes its record within this time after the log names the start, milliseconds. */
const STARTING_MS = 30_000;

/** What the log tells of an agent that it does not name. */
const nobody: AgentMoment = newAgent();

const ENDED: ReadonlySet<WorkerStateKind | null> = new Set([
  null,
  'completed',
  'failed',
  'stopped',
  'backoff',
  'parked',
  'unknown',
]);

/** One agent as it is shown: the log's word, led on by what its keeper and the machine say since (lifecycle §2). */
export function agentSnapshot(facts: AgentFacts): AgentSnapshot {
  const { name, config, moment, keeper, engine, inbox, paths, now } = facts;
  const agent = moment.agents.get(name) ?? nobody;
  const state = stateNow(facts);
  const kind = state?.kind ?? null;
  const calls = callsOf(name, moment);
  return {
    name,
    state: kind,
    health: 'ok',
    attention: attentionOf(inbox),
    ...(ENDED.has(kind) ? endOf(state, agent) : lifeOf(agent, keeper)),
    restarts: restartsOf(state, agent, now),
    maxRestarts: config?.restart.max ?? DEFAULT_MAX_RESTARTS,
    nextRestartAt: state !== null && 'until' in state ? state.until : null,
    startedAt: msOf(agent.startedAt),
    stop: agent.stopBy === null ? null : (keeper?.record.stop ?? null),
    status: agent.status,
    currentTask: agent.currentTask,
    waiting: agent.waiting.size,
    messages: agentMessages(moment, name),
    lastEventAt: msOf(agent.lastEventAt),
    evidence: evidenceOf(agent, keeper, now),
    ...engineOf(engine, isAtWork(facts, calls, kind)),
    calls,
    folder: paths.folder,
    logFile: paths.logFile,
  };
}

/** A turn that its process left open is over with the process, and a call's with the call. */
function engineOf(record: EngineAgentRecord | null, mayRun: boolean): Pick<AgentSnapshot, 'engine' | 'usageMarks'> {
  return record === null
    ? { engine: null, usageMarks: [] }
    : { engine: engineSnapshot(record.engine, record.isOpen && mayRun), usageMarks: record.marks };
}

function isAtWork({ config }: AgentFacts, calls: AgentSnapshot['calls'], kind: WorkerStateKind | null): boolean {
  return calls.length > 0 || (config?.command === null && !ENDED.has(kind));
}

function callsOf(name: string, { calls }: SessionMoment): AgentSnapshot['calls'] {
  return [...calls.values()].flatMap(({ message, sentAt }) => (message.from === name ? [Date.parse(sentAt)] : []));
}

type Life = Pick<AgentSnapshot, 'pid' | 'connected' | 'exit' | 'endedAt'>;

function endOf(state: WorkerState | null, agent: AgentMoment): Life {
  const exit = (state !== null && 'exit' in state ? state.exit : null) ?? agent.exit;
  return { pid: null, connected: false, exit, endedAt: msOf(exit?.at ?? agent.endedAt) };
}

function lifeOf({ process, connected }: AgentMoment, keeper: KeeperFacts | null): Life {
  return { pid: (keeper?.record.process ?? process)?.pid ?? null, connected, exit: null, endedAt: null };
}

/** The state that the leader would give it now: it may be late, frozen or gone. */
function stateNow(facts: AgentFacts): WorkerState | null {
  const { name, config, moment, now } = facts;
  const agent = moment.agents.get(name);
  if (agent === undefined || agent.state === null) {
    return null;
  }
  const { max = null, backoffSeconds = null, resetAfterMinutes = null } = config?.restart ?? {};
  const rules = { maxRestarts: max, backoffSeconds, resetAfterMinutes, connectMs: null, graceMs: 0, termGraceMs: 0 };
  const policy = agentPolicy(rules);
  const told = stateFromLog(agent, policy, now);
  if (told.kind !== 'unknown') {
    return told;
  }
  const happening = endSince(agent, facts);
  return happening === null ? liveState(agent, told) : transition(told, { ...happening, at: now }, policy).state;
}

/** The log says that it lives; `told` holds what it spent of its restarts. */
function liveState(agent: AgentMoment, told: Extract<WorkerState, { kind: 'unknown' }>): WorkerState {
  const { restarts } = told;
  const common = { process: null, word: null, restarts };
  switch (agent.state) {
    case 'stopping':
      return { kind: 'stopping', ...common, wish: told.wish, step: 'asked' };
    case 'starting':
    case 'running':
      return { kind: agent.state, ...common, health: 'ok', limitedUntil: null };
    default:
      return told;
  }
}

/** Its end, where the log does not know it yet. */
function endSince(agent: AgentMoment, { keeper, now }: AgentFacts): WorkerHappening | null {
  const startedAt = msOf(agent.startedAt) ?? 0;
  const isOfThisRun = keeper !== null && Date.parse(keeper.record.started) >= startedAt - 1_000;
  if (!isOfThisRun) {
    return now - startedAt > STARTING_MS ? { kind: 'provenDead', exit: null } : null;
  }
  const exit = keeper.record.attempts.at(-1)?.exit ?? null;
  if (exit !== null) {
    return { kind: 'exited', exit };
  }
  return keeper.keeper === 'dead' && keeper.process === 'dead' ? { kind: 'provenDead', exit: null } : null;
}

function restartsOf(state: WorkerState | null, agent: AgentMoment, now: number): number {
  return state !== null && 'restarts' in state && state.restarts.kind === 'backoff'
    ? state.restarts.used
    : spentRestarts(agent, now, Number.POSITIVE_INFINITY).used;
}

function attentionOf(inbox: readonly InboxItem[]): Attention | null {
  const item = inbox.find(({ copy, kind }) => !copy && kind !== 'expired' && kind !== 'undeliverable');
  if (item === undefined) {
    return null;
  }
  switch (item.kind) {
    case 'question':
    case 'gave-up':
    case 'failed':
    case 'fuse':
      return { kind: item.kind, text: item.text };
    default:
      return { kind: 'blocked', text: item.text };
  }
}

function evidenceOf(agent: AgentMoment, keeper: KeeperFacts | null, now: number): readonly Evidence[] {
  const log: readonly Evidence[] =
    agent.state === null ? [] : [{ source: 'event log', says: agent.state, at: msOf(agent.lastEventAt) }];
  if (keeper === null) {
    return log;
  }
  const { record } = keeper;
  const exit = record.attempts.at(-1)?.exit ?? null;
  const connectedAt = record.mailbox?.connectedAt ?? null;
  return [
    ...log,
    { source: 'keeper', says: keeper.keeper, at: keeper.mtimeMs },
    ...(record.process === null ? [] : [{ source: 'process', says: keeper.process, at: now } as const]),
    ...(connectedAt === null ? [] : [{ source: 'mailbox', says: 'connected', at: msOf(connectedAt) } as const]),
    ...(exit === null ? [] : [{ source: 'exit record', says: exit.class, at: msOf(exit.at) } as const]),
  ];
}

function msOf(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? null : ms;
}
