import { surfaceOf, type CliContext, type ExitCode } from '../cliContext';
import type { WaitOptions } from '../tellAccepted';
import { tellConfig } from '../tellConfig';
import { tellStarted } from '../tellStarted';
import { withHost } from '../withHost';

/**
 * `rollcall retry <id> [--wait]`: starts a new worker in place of a failed or unknown one, at most twice per original
 * request. Tells and ends as `start` does.
 */
export async function retry(context: CliContext, worker: string, options: WaitOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    tellConfig(context, await host.configDiagnostics());
    return await tellStarted(context, host, await host.retry({ worker, requestedBy: surfaceOf(options) }), options);
  });
}
