import type { ContainerOrder } from './containerOrder';
import type { EngineCommand } from './keeperSpec';

/** What has to be there before a sandboxed command starts, and goes with its end. All paths are absolute. */
export interface SandboxPlace {
  /** Where the policy stands that the sandbox reads at its start; the worker cannot write there. */
  readonly settingsFile: string;
  readonly settings: string;
  /** Folders that the worker may write to; a sandbox cannot allow what does not exist. */
  readonly writable: readonly string[];
}

/** How the keeper isolates the run it starts. The command of the spec is the worker's own in either case. */
export type IsolationOrder =
  /** A worktree is where the command runs; the project around it is compared as in an audit. */
  | { readonly level: 'audit' | 'worktree'; readonly note: string | null }
  | {
      readonly level: 'sandbox';
      readonly note: string | null;
      /** What is really started: the sandbox's program around the worker's command. */
      readonly run: EngineCommand;
      readonly place: SandboxPlace;
    }
  | {
      readonly level: 'container';
      readonly note: string | null;
      readonly container: ContainerOrder;
    };
