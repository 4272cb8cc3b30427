import { listTable } from '../../core/protocol/workers/listTable';
import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { formatJson, listJson } from '../json/resultJson';
import { tellConfig } from '../tellConfig';
import { withHost } from '../withHost';

/** `rollcall list`: the types that can be started, the protocol's four first. */
export async function list(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const types = await host.listTypes();
    if (options.json === true) {
      context.out(formatJson(listJson(types, (await host.look()).schedules)));
    } else {
      context.out(listTable(types, surfaceOf(options)));
    }
    tellConfig(context, await host.configDiagnostics());
    return 0;
  });
}
