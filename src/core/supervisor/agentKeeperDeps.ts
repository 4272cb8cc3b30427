import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Result } from '../base/result';
import type { ExitClass } from '../protocol/keeper/exitRecord';
import type { KeeperReady, KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { AcceptedMessage, AgentWire, MailState } from '../protocol/keeper/mail';
import type { KeeperFacts } from '../protocol/workerFacts';
import type { AgentKeeperClient } from './keeperClient';
import type { WorkerHappening } from './workerEvent';
import type { WorkerPolicy } from './workerPolicy';
import type { WorkerState } from './workerState';

/** Why an agent cannot be started; `text` ends in what the person can do. */
export interface StartProblem {
  readonly cause: ExitClass;
  readonly text: string;
}

/** What is needed to start an agent, as the configuration says at that moment. */
export interface AgentLaunch {
  readonly spec: KeeperSpec;
  readonly policy: WorkerPolicy;
}

/** What the keeper of an agent needs from outside; all of it may be slow. */
export interface AgentKeeperDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts a keeper; failures are answers. */
  launch(spec: KeeperSpec): Promise<KeeperReady>;
  /** Opens a keeper's pipe; rejects with a `ControlError`. */
  connect(target: {
    readonly endpoint: string;
    readonly nonce: string;
    readonly epoch: number;
  }): Promise<AgentKeeperClient>;
  /** Reads the agent's keeper.json anew, and the life of those it names; null without one that can be read. */
  look(agent: string): Promise<KeeperFacts | null>;
  /** Whether a restart that is due may be made now; one that may not stays due. */
  mayStart(): Promise<boolean>;
  /** Asked at each start, so that a corrected configuration counts. */
  planLaunch(agent: string): Promise<Result<AgentLaunch, StartProblem>>;
  /** The spec of a keeper for what a dead one left. */
  takeOverSpec(agent: string, facts: KeeperFacts): Promise<KeeperSpec>;
  /** Up to which number the log has what this agent sent. */
  taken(agent: string): number;
  readonly listener: AgentListener;
}

/** Hears everything that happens to agents, in its order for each of them. */
export interface AgentListener {
  /** Awaited, so that what is written down of it comes before what follows from it. */
  moved(agent: string, move: AgentMove): Promise<void>;
  /** The line to its keeper stands: mail may go over it. */
  attached(agent: string, state: MailState): void;
  detached(agent: string): void;
  accepted(agent: string, messages: readonly AcceptedMessage[]): void;
  handed(agent: string, seqs: readonly number[], redelivered: readonly number[]): void;
  acked(agent: string, seqs: readonly number[]): void;
  unfit(agent: string, seq: number, reason: string): void;
  /** `by` is null when its last connection has ended. */
  connection(agent: string, by: AgentWire | null): void;
}

/** One change of an agent's state. */
export interface AgentMove {
  readonly from: WorkerState;
  readonly to: WorkerState;
  readonly happening: WorkerHappening;
}
