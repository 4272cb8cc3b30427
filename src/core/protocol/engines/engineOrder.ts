/** The streams that we can read, by the engine's name. */
const names = ['claude', 'codex', 'opencode', 'gemini', 'copilot'] as const;

export type EngineStreamName = (typeof names)[number];

/** Whether a text from a record names a stream. */
export function isEngineStreamName(name: string): name is EngineStreamName {
  return names.some((known) => known === name);
}

/** What a keeper must know of the engine that it runs, as data. */
export interface EngineOrder {
  readonly stream: EngineStreamName;
  /** The first, polite step of a stop: this signal, to the program alone or to its whole group. */
  readonly interrupt: { readonly signal: 'SIGINT' | 'SIGTERM'; readonly group: boolean };
  /** True: stdin stays open behind the prompt for answers, and is closed at the end line. */
  readonly control: boolean;
  /** Where the program writes the rollout file of this session, absolute; null: it writes none. */
  readonly rollouts: string | null;
  /** Empty folders of these names that a run leaves in the working and the temporary folder, and that go if they are new. */
  readonly leavings: readonly string[];
}
