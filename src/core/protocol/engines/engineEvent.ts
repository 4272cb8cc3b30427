/** Why an engine's turn failed, as its structured fields say. */
export type EngineFault =
  | 'rate limited'
  | 'auth'
  | 'config'
  /** The service cannot answer now: overloaded, or an error of its own. */
  | 'overloaded'
  /** The answer broke off. */
  | 'cut'
  /** A limit that we gave the program: turns, or money. */
  | 'own limit'
  | 'other';

/** Tokens and money. `cached` is the part of the input that was read from the service's cache. */
export interface EngineUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US dollars as the program reckons them, or null where it says nothing. */
  readonly costUsd: number | null;
}

/**
 * What one line of an engine's output says (engines.md), the same for every engine. Texts come from a model and are not
 * yet safe to show. Times are milliseconds since 1970.
 */
export type EngineEvent =
  | { readonly kind: 'session'; readonly sessionId: string; readonly model: string | null }
  /** The model works (again): what was said about an end before is void. */
  | { readonly kind: 'turn' }
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'toolStarted' } & EngineTool)
  /** `tool` is null where only the start named it; then `id` leads to that. */
  | (Omit<EngineTool, 'tool'> & {
      readonly kind: 'toolFinished';
      readonly tool: string | null;
      readonly failed: boolean;
    })
  /** A sandbox kept a tool from writing; its end follows. `tool` is null where only the start named it. */
  | { readonly kind: 'refused'; readonly id: string | null; readonly tool: string | null; readonly file: string | null }
  /** The program waits for an answer with this id. A question is answered with `answers` in its input. */
  | {
      readonly kind: 'asked';
      readonly requestId: string;
      readonly isQuestion: boolean;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** The program no longer waits for that answer. */
  | { readonly kind: 'withdrawn'; readonly requestId: string }
  /** The program refused a tool by itself. */
  | { readonly kind: 'denied'; readonly tool: string }
  /**
   * `step` adds to what was used, once per `key`; `run` is all that this process used; `session` is all that its session
   * used, in earlier processes too.
   */
  | {
      readonly kind: 'usage';
      readonly covers: 'step' | 'run' | 'session';
      readonly key: string | null;
      readonly usage: EngineUsage;
    }
  | {
      readonly kind: 'retrying';
      readonly attempt: number | null;
      readonly of: number | null;
      readonly delayMs: number | null;
      readonly fault: EngineFault;
      readonly text: string;
    }
  /** What the service says about the person's allowance. */
  | { readonly kind: 'allowance'; readonly isUsedUp: boolean; readonly resetsAt: number | null }
  /** The turn failed; `resetsAt` says when a rate limit ends, where that is known. */
  | {
      readonly kind: 'failed';
      readonly fault: EngineFault;
      readonly text: string;
      readonly resetsAt: number | null;
    }
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'done' }
  /** The turn ended because it was told to. */
  | { readonly kind: 'interrupted' }
  /** No line of this engine: another program's output, a torn line, or news of a newer version. */
  | { readonly kind: 'unknown' };

/** One use of a tool. */
export interface EngineTool {
  /** Joins start and end, or null where the engine has no such id. */
  readonly id: string | null;
  readonly tool: string;
  /** As the model wrote it, or null. */
  readonly file: string | null;
  readonly writes: boolean;
}

/** Reads one line of an engine's output. Pure, never throws, keeps nothing between lines. */
export type ReadEngineLine = (line: string) => readonly EngineEvent[];

/** A line that is none of the engine's. */
export const unknownLine: readonly EngineEvent[] = [{ kind: 'unknown' }];
