import { surfaceOf, type CliContext, type ExitCode } from '../cliContext';
import { stopJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { tellAccepted, type WaitOptions } from '../tellAccepted';
import { withHost } from '../withHost';

export interface StopOptions extends WaitOptions {
  readonly force?: true;
}

/** `rollcall stop <id> [--force] [--wait]`: the id may be a unique prefix. Exit code 1 when the stop is refused. */
export async function stop(context: CliContext, worker: string, options: StopOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const outcome = await host.stop({ worker, force: options.force === true, requestedBy: surfaceOf(options) });
    if (!outcome.ok) {
      return refuse(context, options, outcome.error);
    }
    const { workerId, message } = outcome.value;
    const document = stopJson(outcome.value);
    return await tellAccepted(context, host, { workerId, message, document, options, exitCodeOf: () => 0 });
  });
}
