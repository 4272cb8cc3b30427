import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { withHost } from '../withHost';
import { tellMailWaits } from '../tellMailWaits';
import { tellAccepted } from './session';

export interface AgentStopOptions extends GlobalOptions {
  readonly force?: true;
}

/** `rollcall agent start <name>`. */
export async function agentStart(context: CliContext, agent: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) =>
    tellAccepted(context, options, await host.session.startAgent({ agent, requestedBy: surfaceOf(options) })),
  );
}

/** `rollcall agent stop <name> [--force]`; also ends its wait for a restart. */
export async function agentStop(context: CliContext, agent: string, options: AgentStopOptions): Promise<ExitCode> {
  const request = { agent, requestedBy: surfaceOf(options), force: options.force === true };
  return await withHost(context, options, async (host) =>
    tellAccepted(context, options, await host.session.stopAgent(request)),
  );
}

/** `rollcall agent listen <name>`: a keeper hosts the endpoint of an agent that a person starts by hand. */
export async function agentListen(context: CliContext, agent: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const code = tellAccepted(context, options, await host.session.listen({ agent, requestedBy: surfaceOf(options) }));
    return code === 0 ? await tellMailWaits(context, host) : code;
  });
}
