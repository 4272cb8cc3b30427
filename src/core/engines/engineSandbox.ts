/** What a program that asks a model needs from our sandbox, beside what every worker gets. Paths are absolute. */
export interface EngineSandbox {
  /** Hosts of its model's service. */
  readonly hosts: readonly string[];
  /** Its own state: sessions, caches. Without them it does not start, or cannot go on with a session. */
  readonly writable: readonly string[];
  /**
   * Below those: what would run code, or change what it may do, in the person's next session. To be left out where it does
   * not exist: the sandbox would put an unreadable file there, over which the program stumbles.
   */
  readonly protects: readonly string[];
  /** Keys that the model's commands need not see, and the variable that names a script run before each; null: no such means. */
  readonly scrub: { readonly variable: string; readonly names: readonly string[] } | null;
}
