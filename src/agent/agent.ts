import { resolve } from 'node:path';
import { isAgentName } from '../core/protocol/actors/agentName';
import { AgentError } from './agentError';
import { SessionAgent } from './sessionAgent';

/** A message as an agent gets it. */
export interface AgentMessage {
  readonly id: string;
  /** E.g. `WorkAssign`, `Query`, `System`. */
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The `id` of the message that this one answers. */
  readonly inReplyTo?: string;
  /** An earlier process of this agent began it and did not handle it. */
  readonly redelivered?: true;
}

/** What an agent sends. */
export interface OutgoingMessage {
  /** An agent, `pm`, `watchdog`, or `*` for everybody. */
  readonly to: string;
  readonly type: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly inReplyTo?: string;
}

export interface ProblemReport {
  readonly taskId?: string;
  /** Default: `bug`. */
  readonly problemType?: 'bug' | 'quality_concern' | 'blocker';
  readonly description: string;
  /** Default: `medium`. */
  readonly severity?: 'low' | 'medium' | 'high' | 'critical';
}

/** Is called with one message after the other; the next one waits until what it returns has settled. */
export type MessageHandler = (message: AgentMessage, agent: Agent) => unknown;

/**
 * A connected agent. A send resolves with the message's id once the message is safe with the supervisor, and rejects with
 * an error named `AgentError` where it never will be. A message counts as handled when its handler has returned, or has ended the process
 * with 0 or 42; one that was begun and not handled comes again, `redelivered`, when the agent has been started again.
 */
export interface Agent {
  readonly name: string;
  /** Absolute path of the session's folder. */
  readonly sessionDir: string;
  /** Hands each message to the handler. Ends the process with 42 at a shutdown; rejects with what the handler threw. */
  enterAgentLoop(handler: MessageHandler): Promise<never>;
  /**
   * The next message, for those who want no loop; null after `timeoutMs`. It counts as handled when the next one is asked
   * for, or something other than a status was sent.
   */
  receiveMessage(timeoutMs?: number): Promise<AgentMessage | null>;
  sendMessage(message: OutgoingMessage): Promise<string>;
  sendWorkComplete(work: {
    readonly taskId: string;
    readonly result?: string;
    readonly notes?: string;
  }): Promise<string>;
  sendWorkBlocked(work: { readonly taskId: string; readonly reason: string }): Promise<string>;
  sendProblemReport(report: ProblemReport): Promise<string>;
  sendAgentStatus(status: {
    readonly status: string;
    readonly currentTask?: string;
    readonly notes?: string;
  }): Promise<string>;
}

export interface ConnectOptions {
  /** Default: the name under which the supervisor started this process. */
  readonly agentName?: string;
  /** Default: `.claude/session`. It need not exist where somebody answers for the agent. */
  readonly sessionDir?: string;
  /** How long to try, milliseconds. Default: 31,000. */
  readonly timeoutMs?: number;
}

/**
 * Connects to the supervisor and reports ready. Rejects with an error named `AgentError`, whose message ends in what to do,
 * when nobody answered in time.
 */
export async function connectToWatchdog(options: ConnectOptions = {}): Promise<Agent> {
  return await connected(options);
}

/**
 * Connects and enters the loop, but ends the process with 0 once a handler has completed, blocked or abandoned its task or
 * asked something: the agent that does one thing per process.
 */
export async function startAgentLoop(handler: MessageHandler, options: ConnectOptions = {}): Promise<never> {
  const agent = await connected(options);
  return await agent.runLoop(handler, (type) => endsTask.has(type));
}

const endsTask: ReadonlySet<string> = new Set(['WorkComplete', 'WorkBlocked', 'WorkAbandoned', 'Query']);

async function connected({
  agentName,
  sessionDir = '.claude/session',
  timeoutMs = 31_000,
}: ConnectOptions): Promise<SessionAgent> {
  const { env } = process;
  const startedAs = env['ROLLCALL_AGENT'];
  const name = agentName ?? startedAs ?? '';
  if (!isAgentName(name)) {
    throw new AgentError(`'${name}' is no agent name. Use small letters, digits and '-'.`);
  }
  if (startedAs !== undefined && startedAs !== name) {
    throw new AgentError(
      `This process was started as the agent '${startedAs}', not '${name}'. Give agentName that name.`,
    );
  }
  const agent = new SessionAgent(name, resolve(sessionDir.replaceAll('\\', '/')), env);
  await agent.connect(timeoutMs);
  return agent;
}
