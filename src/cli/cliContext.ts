import type { HostApi } from '../core/host/api';
import type { Surface } from '../core/protocol/workers/surface';

/** The options that every command has. */
export interface GlobalOptions {
  readonly cwd?: string;
  readonly json?: true;
  /** `slash` words the texts for the installed slash command. */
  readonly surface?: Extract<Surface, 'cli' | 'slash'>;
}

/** What a command may touch of its process. */
export interface CliContext {
  /** Results only. A final newline is added. */
  readonly out: (text: string) => void;
  /** Results without a line of their own, e.g. a piece of a log. */
  readonly outRaw: (text: string) => void;
  /** Diagnostics only. A final newline is added. */
  readonly err: (text: string) => void;
  /** Whether results may carry colour. */
  readonly colour: boolean;
  /** Aborts at Ctrl-C. Asking for it takes the signal over, so only a command that waits asks. */
  readonly interrupted: () => AbortSignal;
  /** Opens the project that `cwd` belongs to. Rejects with `UsageError` where there is no such folder. */
  readonly openHost: (options: GlobalOptions) => Promise<HostApi>;
}

/** The exit codes of surfaces.md; 130 is the shell's code for Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 130;

/** The words of the surface that the command speaks for. */
export function surfaceOf(options: GlobalOptions): Extract<Surface, 'cli' | 'slash'> {
  return options.surface ?? 'cli';
}
