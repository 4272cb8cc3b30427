import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson, fuseResetJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { withHost } from '../withHost';

/** `rollcall fuse reset <id>`: tells that a person has seen the blown fuse, after which the worker may be retried. */
export async function resetFuse(context: CliContext, worker: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const outcome = await host.resetFuse(worker);
    if (!outcome.ok) {
      return refuse(context, options, outcome.error);
    }
    context.out(options.json === true ? formatJson(fuseResetJson(outcome.value)) : outcome.value.message);
    return 0;
  });
}
