import type { Message } from './message';

/**
 * What our own agent runtimes and a keeper say to each other on the private endpoint (actors.md §2, §5): newline JSON in
 * both directions, unpadded, nothing else in it. Existing agents use the compatible endpoint and know none of this.
 */

/** The runtime's first line. */
export interface RuntimeHello {
  readonly hello: 1;
  /** The value of `ROLLCALL_TOKEN`. */
  readonly token: string;
  /** Random hex of this process; the same again when it reconnects. */
  readonly run: string;
  /** The highest `seq` whose handler was ever begun, from the file that `ROLLCALL_CURSOR` names; 0 without one. */
  readonly cursor: number;
}

/** A message from the runtime. `n` counts 1, 2, 3 … per `run`; what is sent again after a reconnect keeps its number. */
export interface RuntimeSend extends Partial<Message> {
  readonly n: number;
  readonly type: string;
}

/** The handler of this message has returned. Handlers run one at a time, so the next one begins behind this. */
export interface RuntimeAck {
  readonly ack: number;
}

export type RuntimeLine = RuntimeHello | RuntimeSend | RuntimeAck;

/**
 * The keeper's lines: a message for the agent, the news that message `n` is in the spool and can no longer be lost, or
 * that it never will be, with a reason that ends in what to do. A bad hello is refused with `n` 0 and the end of the
 * connection.
 */
export type KeeperLine =
  | MailLine
  | { readonly accepted: number }
  | { readonly refused: number; readonly reason: string };

export interface MailLine extends Message {
  /**
   * Number of the message in the session's log; grows per agent, with gaps. 0: the keeper's own word (a polite stop) that
   * stands in no log; it is neither acknowledged nor written to the cursor.
   */
  readonly seq: number;
  /** An earlier process of this agent got it and did not acknowledge it. */
  readonly redelivered?: true;
}

/** Environment of an agent that a keeper starts. */
export const runtimeVariables = {
  endpoint: 'ROLLCALL_ENDPOINT',
  token: 'ROLLCALL_TOKEN',
  agent: 'ROLLCALL_AGENT',
  sessionDir: 'ROLLCALL_SESSION_DIR',
  /** A file that the runtime alone writes, in place: the decimal number of the newest message that it began. */
  cursor: 'ROLLCALL_CURSOR',
} as const;
