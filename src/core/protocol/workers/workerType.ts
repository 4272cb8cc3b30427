import type { IsolationName } from '../config/configModel';

/** A kind of background worker that can be started. */
export interface WorkerType {
  readonly name: string;
  /** The wording of `list`. */
  readonly description: string;
  /** `none` for types without a model. */
  readonly model: string;
  /** File name in a template folder, or a project path for own types; null for command types. */
  readonly template: string | null;
  /** What the type may write beside its own folder, project-relative. */
  readonly mayWrite: readonly string[];
  /** Argument vector of a `command` type; null for the others. */
  readonly command: readonly string[] | null;
  readonly engine: string;
  readonly env: Readonly<Record<string, string>>;
  /** Grace before the ladder's signals; null takes the engine's default. */
  readonly graceSeconds: number | null;
  /** Absent: `auto`. */
  readonly isolation?: IsolationName;
  /** Container image; absent or null: none is named. */
  readonly image?: string | null;
  readonly source: 'protocol' | 'workers.json';
}
