import type { Message } from '../actors/message';

/**
 * What makes a keeper host an agent's mailbox and endpoints (actors.md §2, §5). All paths are absolute. The keeper's folder
 * is `<session folder>/keepers/<agent>`; it adds `runtimeVariables` and TMPDIR to the environment of the command.
 */
export interface MailboxOrder {
  readonly agent: string;
  readonly privateEndpoint: string;
  readonly token: string;
  /** The endpoint of existing agents, or null where the configuration switches it off. It may be held by somebody. */
  readonly compatibleEndpoint: string | null;
  /** An agent that has not connected after so long is ended (lifecycle §4), milliseconds; null: it need not connect. */
  readonly connectMs: number | null;
  /** The readable log, `<session folder>/logs/<agent>.log`; its folder is made when absent. */
  readonly logFile: string;
  /** A person starts the agent: the spec's command is not run, the endpoints are hosted until they are stopped. */
  readonly byHand?: true;
}

/** How the mailbox stands; part of `keeper.json`. Times are ISO 8601 UTC. */
export interface MailboxRecord {
  readonly agent: string;
  readonly privateEndpoint: string;
  /** `held`: somebody else answers there; `holder` says who where that is known. */
  readonly compatible: {
    readonly endpoint: string;
    readonly state: 'listening' | 'held' | 'failed';
    readonly holder: string | null;
    /** Why it is not listened on, a sentence that ends in what to do; null while it is. */
    readonly trouble: string | null;
  } | null;
  /** Of the process that runs now (or ran last); null while it has never connected. */
  readonly connectedAt: string | null;
  /** Where it connected. An agent of the compatible endpoint never comes back to a new keeper (actors.md §6). */
  readonly connectedBy: AgentWire | null;
}

/** The two endpoints of an agent: ours with a token, and that of existing agents. */
export type AgentWire = 'private' | 'compatible';

/** A message that an agent sent, safe in its keeper's spool. `number` counts from 1 per agent and session, without gaps. */
export interface AcceptedMessage {
  readonly number: number;
  readonly message: Message;
  /** What the sender wrote as `from`, where it was not its own name. */
  readonly claimedFrom?: string;
  /** What is odd about it, in sentences. */
  readonly warnings?: readonly string[];
}

/** A message on its way to the agent. `seq` is the number of its `MessageSent` in the session's log. */
export interface MailItem {
  readonly seq: number;
  readonly message: Message;
}

/** Methods of a keeper's pipe that hosts a mailbox, beside those of every keeper. Only for the process that leads. */
export interface MailMethods {
  /**
   * The leader has everything up to `taken` in its log: the spool may forget that. From now on, and first with what it
   * holds above `taken`, the keeper tells this connection each accepted message with the event `accepted`.
   */
  attach: { readonly params: { readonly taken: number }; readonly result: MailState };
  /** The leader's log has everything up to this number. */
  taken: { readonly params: { readonly upTo: number }; readonly result: null };
  /**
   * Puts mail into the spool; answered once it is there. An item that was there before is not doubled: items come in the
   * order of `seq`, or at most some thousand behind. Refused with the code `full`, and then as a whole, while very much
   * waits there already.
   */
  deliver: { readonly params: { readonly items: readonly MailItem[] }; readonly result: null };
  /** Takes mail back that the agent did not get yet (an expiry, a cancel); gives what was really taken back. */
  withdraw: { readonly params: { readonly seqs: readonly number[] }; readonly result: readonly number[] };
}

export interface MailState {
  readonly mailbox: MailboxRecord;
  /** All that the agent's connection took, and all that was acknowledged or answered, as far as the spool remembers. */
  readonly handed: readonly number[];
  readonly acked: readonly number[];
  /** In the spool and not handed to the agent yet. */
  readonly waiting: readonly number[];
}

/** Events of such a pipe, to those who attached. */
export interface MailEvents {
  accepted: { readonly messages: readonly AcceptedMessage[] };
  /** The agent's connection took these; `redelivered` names those that an earlier process had got already. */
  handed: { readonly seqs: readonly number[]; readonly redelivered: readonly number[] };
  /** The runtime confirmed these, or an existing agent answered them. */
  acked: { readonly seqs: readonly number[] };
  /** A line that cannot go to an existing agent, and why; it stays in the spool (actors.md §2). */
  unfit: { readonly seq: number; readonly reason: string };
  connected: { readonly endpoint: AgentWire; readonly at: string };
  disconnected: { readonly at: string };
}
