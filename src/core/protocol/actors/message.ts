/** One message between agents, the person and the supervisor (actors.md §3). */
export interface Message {
  /** Ours are `msg-<UTC yyyyMMdd-HHmmss>-<16 hex digits>`; ids of others can collide. */
  readonly id: string;
  /** A word of actors.md §4 in its own spelling, or an unknown word as it came. */
  readonly type: string;
  /** The endpoint it came from, whatever the sender wrote. */
  readonly from: string;
  /** An agent, `watchdog`, `*`, or a name that nobody has. */
  readonly to: string;
  /** As the sender wrote it; ours are ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly inReplyTo?: string;
}
