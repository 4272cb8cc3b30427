import type { AgentWhyReport } from '../../core/host/whyAgent';
import { agentWhyText } from '../../core/presenter/agents/agentWhyText';
import { whyText } from '../../core/presenter/whyText';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { whyAgentJson, whyJson } from '../json/whyJson';
import { refuse } from '../refuse';
import { terminalReader } from '../text/terminalReader';
import { withHost } from '../withHost';

/** `rollcall why <id>`: what is known about how a worker, or the agent of that name, came to be as it is, and what to do next. */
export async function why(context: CliContext, worker: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const report = await host.why(worker);
    if (!report.ok) {
      const ofAgent = await host.whyAgent(worker);
      return ofAgent.ok
        ? tellAgent(context, ofAgent.value, { at: host.getSnapshot().at, options })
        : refuse(context, options, report.error);
    }
    const { at } = host.getSnapshot();
    const { worker: found, lastLines } = report.value;
    context.out(
      options.json === true ? formatJson(whyJson(report.value, at)) : whyText(found, lastLines, terminalReader(at)),
    );
    return 0;
  });
}

function tellAgent(
  context: CliContext,
  report: AgentWhyReport,
  { at, options }: { readonly at: number; readonly options: GlobalOptions },
): ExitCode {
  const { agent, lastLines } = report;
  context.out(
    options.json === true ? formatJson(whyAgentJson(report, at)) : agentWhyText(agent, lastLines, terminalReader(at)),
  );
  return 0;
}
