import type { Clock } from '../core/base/clock';
import type { ProjectReader } from './project/projectReader';

/** The only ways in which work may leave something behind. Each file appears at once, never in parts. */
export interface WorkOutputs {
  /** Writes `output/<name>` in the worker's folder. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** Writes the worker's `error.log`, also for work that ends well. */
  readonly writeErrorLog: (text: string) => Promise<void>;
  /**
   * Makes `.keysarium/exports/<name>`; false when there is one already. Rejects with a sentence for a person when that
   * folder cannot be written or is a link.
   */
  readonly createExport: (name: string, text: string) => Promise<boolean>;
}

/** What a builtin type may use while it works. */
export interface WorkContext {
  readonly workerId: string;
  /** The workers root as a project-relative POSIX path, or null when it lies outside the project. */
  readonly workersRoot: string | null;
  readonly project: ProjectReader;
  /** The name of the project's folder. */
  readonly projectName: string;
  readonly clock: Clock;
  readonly outputs: WorkOutputs;
}

/** One step of the work. Between two of them the worker reports progress and obeys a stop request. */
export interface WorkItem {
  /** Shown as the phase; its first word is the progress text of the status table. */
  readonly phase: string;
  readonly name: string;
  /** Does the step; the answer is its line in the log. */
  run(): Promise<string>;
}

/** All of the work, counted before it starts, so that the total is real. */
export interface Work {
  readonly items: readonly WorkItem[];
  /** Shown as the phase while `finish` runs. */
  readonly finishPhase: string;
  /** Writes the outputs after the last item; the answer is the closing line of the log. */
  finish(): Promise<string>;
}

/** Plans the work of one worker type; reads as much as it needs for the total and writes nothing. */
export type BuiltinType = (context: WorkContext) => Work | Promise<Work>;
