import type { HostApi, Outcome, StartedWorker } from '../core/host/api';
import { surfaceOf, type CliContext, type ExitCode } from './cliContext';
import { type BegunWorker, startedJson } from './json/resultJson';
import { refuse } from './refuse';
import { tellAccepted, type WaitOptions } from './tellAccepted';

/** Tells how a start or a retry went; exit code 1 when it was refused, else as `tellBegun` says. */
export async function tellStarted(
  context: CliContext,
  host: HostApi,
  outcome: Outcome<StartedWorker>,
  options: WaitOptions,
): Promise<ExitCode> {
  // The slash command prints the protocol's text and not a letter more.
  if (outcome.ok && outcome.value.isolationNote !== undefined && surfaceOf(options) === 'cli') {
    context.err(`Note: ${outcome.value.workerId} is only watched: ${outcome.value.isolationNote}.`);
  }
  return outcome.ok ? await tellBegun(context, host, outcome.value, options) : refuse(context, options, outcome.error);
}

/** Tells of a new worker: its block and, with `--wait`, its end. Exit code 1 when it does anything but complete. */
export async function tellBegun(
  context: CliContext,
  host: HostApi,
  worker: BegunWorker & Pick<StartedWorker, 'message'>,
  options: WaitOptions,
): Promise<ExitCode> {
  const { workerId, message } = worker;
  return await tellAccepted(context, host, {
    workerId,
    message,
    document: startedJson(worker),
    options,
    exitCodeOf: ({ state }) => (state === 'completed' ? 0 : 1),
  });
}
