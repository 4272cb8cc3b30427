import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { dismissalJson, formatJson } from '../json/resultJson';
import { inboxJson } from '../json/sessionJson';
import { fleetFuseNamed } from '../../core/protocol/fleetFuse';
import { refuse } from '../refuse';
import { fleetInbox } from '../fleetInbox';
import { inboxText } from '../text/inboxText';
import { workerOfItem } from '../workerOfItem';
import { withHost } from '../withHost';
import { answerRequest } from './answer';
import { resetFuse } from './fuse';
import { tellAccepted } from './session';

/** `rollcall inbox`: what waits for a person, oldest first. Writes nothing. */
export async function inbox(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const snapshot = await host.look();
    context.out(options.json === true ? formatJson(inboxJson(snapshot)) : inboxText(fleetInbox(snapshot)));
    return 0;
  });
}

/** `rollcall answer <id> <text>`, and the same below `inbox`: of a session agent, or of a worker's program. */
export async function answerItem(
  context: CliContext,
  { item, text }: { readonly item: string; readonly text: string },
  options: GlobalOptions,
): Promise<ExitCode> {
  if (!isOfSession(item)) {
    return await answerRequest(context, { name: item, allow: true, text }, options);
  }
  return await withHost(context, options, async (host) =>
    tellAccepted(context, options, await host.session.answer({ item, text, requestedBy: surfaceOf(options) })),
  );
}

/** Items of the session say whether they are about a message or an agent; all others are about workers. */
function isOfSession(item: string): boolean {
  return /^(?:msg|agent):/.test(item);
}

/** `rollcall inbox dismiss <id>`: of a session agent, or what a worker's row says; a blown fuse is reset by that. */
export async function dismissItem(context: CliContext, item: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    if (isOfSession(item)) {
      return tellAccepted(context, options, await host.session.dismiss({ item, requestedBy: surfaceOf(options) }));
    }
    if (fleetFuseNamed(item) !== null) {
      return await resetFuse(context, item, options);
    }
    const outcome = await host.dismissWorker(workerOfItem(item));
    if (!outcome.ok) {
      return refuse(context, options, outcome.error);
    }
    context.out(options.json === true ? formatJson(dismissalJson(outcome.value)) : outcome.value.message);
    return 0;
  });
}
