import type { HostApi, Outcome, SessionAccepted } from '../../core/host/api';
import type { SessionSnapshot } from '../../core/protocol/actors/sessionSnapshot';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { aborted } from '../aborted';
import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { acceptedJson, sessionJson } from '../json/sessionJson';
import { refuse } from '../refuse';
import { sessionTable } from '../text/sessionTable';
import { withHost } from '../withHost';

export interface SessionStartOptions extends GlobalOptions {
  readonly mode?: 'event-driven' | 'sequential';
}

export interface SessionStopOptions extends GlobalOptions {
  readonly force?: true;
}

/**
 * `rollcall session start`: asks the leader; without one it stays in the foreground and leads until the session is over
 * (lifecycle §6). Ctrl-C then asks every agent to stop, and a second one leaves them as they are.
 */
export async function sessionStart(context: CliContext, options: SessionStartOptions): Promise<ExitCode> {
  const { mode } = options;
  const request = { requestedBy: surfaceOf(options), ...(mode === undefined ? {} : { mode }) };
  return await withHost(context, options, async (host) => {
    if ((await host.look()).leader !== null) {
      return tellAccepted(context, options, await host.session.start(request));
    }
    const signal = context.interrupted();
    await host.watch();
    await host.lead();
    const code = tellAccepted(context, options, await host.session.start(request));
    if (code === 0) {
      context.err('Leads the session. Ctrl-C asks its agents to stop.');
      await Promise.race([aborted(signal), untilOver(host)]);
    }
    return signal.aborted ? await stopPolitely(context, host, options) : code;
  });
}

/** `rollcall session stop [--force]`. */
export async function sessionStop(context: CliContext, options: SessionStopOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const request = { requestedBy: surfaceOf(options), force: options.force === true };
    return tellAccepted(context, options, await host.session.stop(request));
  });
}

/** `rollcall session status`: the session, its agents and how many things wait for a person. Writes nothing. */
export async function sessionStatus(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const snapshot = await host.look();
    context.out(options.json === true ? formatJson(sessionJson(snapshot)) : sessionTable(snapshot));
    for (const problem of snapshot.session?.problems ?? []) {
      context.err(problem);
    }
    return 0;
  });
}

/** Tells what became of a request about the session. Gives the exit code. */
export function tellAccepted(context: CliContext, options: GlobalOptions, outcome: Outcome<SessionAccepted>): ExitCode {
  if (!outcome.ok) {
    return refuse(context, options, outcome.error);
  }
  context.out(options.json === true ? formatJson(acceptedJson(outcome.value)) : outcome.value.message);
  return 0;
}

async function stopPolitely(context: CliContext, host: HostApi, options: GlobalOptions): Promise<ExitCode> {
  const stopped = await host.session.stop({ requestedBy: surfaceOf(options), force: false });
  if (stopped.ok) {
    context.err(`${stopped.value.message} Ctrl-C again leaves them to end by themselves.`);
    await untilOver(host);
  }
  return 130;
}

/** Resolves when the session was stopped or is complete, and none of its agents runs any more. */
async function untilOver(host: HostApi): Promise<void> {
  // Looks come one after the other: behind this one none is told that began before the session did.
  await host.look();
  await new Promise<void>((resolve) => {
    const look = ({ session }: FleetSnapshot): void => {
      if (session === null || isOver(session)) {
        watching.dispose();
        resolve();
      }
    };
    const watching = host.onDidChangeSnapshot(look);
    look(host.getSnapshot());
  });
}

function isOver({ running, agents }: SessionSnapshot): boolean {
  const up = agents.filter(({ state }) => state === 'starting' || state === 'running' || state === 'stopping');
  return !running && up.length === 0;
}
