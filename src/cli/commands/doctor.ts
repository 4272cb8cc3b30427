import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { enginesJson } from '../json/enginesJson';
import { formatJson } from '../json/resultJson';
import { enginesText } from '../text/enginesText';
import { withHost } from '../withHost';

/** `rollcall doctor`: what there is of each engine, how to install it and sign in, and which types would use it. */
export async function doctor(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const reports = await host.engines();
    context.out(options.json === true ? formatJson(enginesJson(reports)) : enginesText(reports));
    return 0;
  });
}
