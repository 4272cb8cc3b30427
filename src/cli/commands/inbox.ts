import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { isOfSession, workerOfItem } from '../../core/protocol/workers/itemIds';
import { openInbox, snoozedInbox } from '../fleetInbox';
import { dismissalJson, formatJson } from '../json/resultJson';
import { inboxJson, snoozedJson } from '../json/sessionJson';
import { fleetFuseNamed } from '../../core/protocol/fleetFuse';
import { refuse } from '../refuse';
import { inboxText, snoozedText, snoozedWords } from '../text/inboxText';
import { terminalReader } from '../text/terminalReader';
import { withHost } from '../withHost';
import { answerRequest } from './answer';
import { resetFuse } from './fuse';
import { tellAccepted } from './session';

export interface InboxOptions extends GlobalOptions {
  readonly snoozed?: true;
}

/** `rollcall inbox [--snoozed]`: what waits for a person, oldest first, or what they put off. Writes nothing. */
export async function inbox(context: CliContext, options: InboxOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const snapshot = await host.look();
    if (options.json === true) {
      context.out(formatJson(inboxJson(snapshot)));
      return 0;
    }
    const snoozed = snoozedInbox(snapshot);
    const reader = terminalReader(snapshot.at);
    context.out(
      options.snoozed === true ? snoozedText(snoozed, reader) : inboxText(openInbox(snapshot), snoozed, reader),
    );
    return 0;
  });
}

/** `rollcall inbox snooze <id> [span]`, and `inbox unsnooze` with a span of 0; milliseconds. */
export async function snoozeItem(
  context: CliContext,
  { item, span }: { readonly item: string; readonly span: number },
  options: GlobalOptions,
): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const now = Date.now();
    const outcome = await host.snooze({ item, until: now + span, requestedBy: surfaceOf(options) });
    if (!outcome.ok) {
      return refuse(context, options, outcome.error);
    }
    const { value } = outcome;
    context.out(options.json === true ? formatJson(snoozedJson(value)) : snoozedWords(value, terminalReader(now)));
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
