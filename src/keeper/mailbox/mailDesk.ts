import type { Message } from '../../core/protocol/actors/message';
import type { LineSource } from '../../core/protocol/actors/readAgentLine';
import type { Clock } from '../../core/base/clock';
import type { AgentWire } from '../../core/protocol/keeper/mail';
import type { SpooledSend } from '../../core/protocol/keeper/spoolLine';
import type { AgentConnection } from './agentConnection';
import type { Spool } from './spool';

/** What both wires of an agent share. */
export interface MailDesk {
  readonly clock: Clock;
  readonly spool: Spool;
  /** The agent was asked to stop: whoever connects is told, and nobody gets anything new any more. */
  readonly farewell: Message | null;
  /** What fills in what a sender left out, now. */
  source(): LineSource;
  /**
   * Makes what came in safe, then calls `onSafe`: at once, or when the disk takes it; so long that connection is not read
   * from. Given up where `isWanted` says so by then.
   */
  receive(from: AgentConnection, sends: readonly SpooledSend[], then: Reception): void;
  /** A connection of the agent opened or closed, or began to count as one. */
  connectionsChanged(wire: AgentWire): void;
  handed(seqs: readonly number[], redelivered: readonly number[]): void;
  acked(seqs: readonly number[]): void;
  unfit(seq: number, reason: string): void;
  /** A line for the person who reads the log. */
  note(text: string): void;
}

/** One of the two endpoints, as the mailbox uses it. */
export interface Wire {
  /** The agent has a connection. */
  readonly isConnected: boolean;
  /** Somebody has one. */
  readonly isOpen: boolean;
  /** The connection that gets the mail, with the name of its process; null where nobody listens. */
  readonly listener: { readonly name: string } | null;
  /** Hands out what waits, as fast as the agent reads. */
  pump(): void;
  /** Says something that stands in no log to everyone. */
  say(message: Message): void;
  /** Ends every connection. */
  close(): void;
}

export interface Reception {
  readonly onSafe: () => void;
  readonly isWanted: () => boolean;
}
