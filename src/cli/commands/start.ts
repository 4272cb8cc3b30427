import type { EngineName } from '../../core/protocol/config/configModel';
import { askedFor } from '../../core/protocol/workers/askedFor';
import { surfaceOf, type CliContext, type ExitCode } from '../cliContext';
import type { WaitOptions } from '../tellAccepted';
import { tellConfig } from '../tellConfig';
import { tellStarted } from '../tellStarted';
import { withHost } from '../withHost';
import { startWhenFree } from './startWhenFree';

export interface StartOptions extends WaitOptions {
  /** Waits for a slot where none is free. */
  readonly whenFree?: true;
  /** Instead of what the type's configuration says. */
  readonly isolation?: (typeof isolationLevels)[number];
  /** Instead of what the type's configuration says. */
  readonly engine?: EngineName;
}

/** What `--isolation` takes. */
export const isolationLevels = ['auto', 'audit', 'sandbox', 'worktree', 'container'] as const;

/**
 * `rollcall start <type> [--when-free] [--isolation <level>] [--engine <name>] [--wait]`: prints the protocol's block and, with `--wait`,
 * the end. Exit code 1 when the start is refused or the waited-for worker does anything but complete. `--wait` ends with
 * the end of the very worker that was started: where that is retried by itself, it says when.
 */
export async function start(context: CliContext, type: string, options: StartOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    tellConfig(context, await host.configDiagnostics());
    if (options.whenFree === true) {
      return await startWhenFree(context, host, { type, options });
    }
    const surface = surfaceOf(options);
    const outcome = await host.start({ ...askedFor(options.engine, options.isolation), type, requestedBy: surface });
    const code = await tellStarted(context, host, outcome, options);
    // The slash command prints the protocol's text and not a letter more.
    if (!outcome.ok && outcome.error.code === 'limit' && surface === 'cli') {
      context.err(`Hint: \`rollcall start ${type} --when-free\` starts it when a slot is free.`);
    }
    return code;
  });
}
