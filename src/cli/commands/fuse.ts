import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson, fuseResetJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { workerOfItem } from '../../core/protocol/workers/itemIds';
import { withHost } from '../withHost';

/**
 * `rollcall fuse reset <id>`: tells that a person has seen the blown fuse, after which the worker may be retried; `logs` and
 * `disk` are the fuses of the whole project, and ids of the inbox count too.
 */
export async function resetFuse(context: CliContext, id: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const outcome = await host.resetFuse(workerOfItem(id));
    if (!outcome.ok) {
      return refuse(context, options, outcome.error);
    }
    context.out(options.json === true ? formatJson(fuseResetJson(outcome.value)) : outcome.value.message);
    return 0;
  });
}
