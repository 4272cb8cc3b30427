/** One thing that the scripted model does, in order. */
export type ModelStep =
  | { readonly say: string }
  | { readonly call: string; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly waitMs: number }
  /** Goes on once the test lets it. */
  | { readonly until: Promise<unknown> }
  /** An error event inside a stream that had begun well. */
  | { readonly fail: { readonly type: string; readonly message: string } }
  /** The connection breaks in the middle. */
  | { readonly breakOff: true }
  /** The connection stays and nothing more comes. */
  | { readonly hang: true };

/** What one request gets: a stream of steps, or a refusal. */
export type ModelAnswer =
  | { readonly steps: readonly ModelStep[]; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** What a script may know of a request. */
export interface ModelTurn {
  /** Results of tools in the history so far: 0 at the first request of a task. */
  readonly turn: number;
  /** `key=value` pairs behind the scenario's name. */
  readonly options: Readonly<Record<string, string>>;
  /** Names of the tools that the program offers. */
  readonly offered: readonly string[];
}

export type ModelScript = (turn: ModelTurn) => ModelAnswer;
