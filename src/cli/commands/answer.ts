import type { HostApi, Refusal } from '../../core/host/api';
import { requestNamed } from '../../core/protocol/workers/itemIds';
import { displayText } from '../../core/protocol/workers/displayText';
import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { openInbox, snoozedInbox } from '../fleetInbox';
import { formatJson, requestAnsweredJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { withHost } from '../withHost';

/** What a person decided about a request; `name` is an id of the inbox or of a worker. */
export interface GivenAnswer {
  readonly name: string;
  readonly allow: boolean;
  /** The answer to a question, or what the model is told where it is denied. */
  readonly text: string | null;
}

/** A name that is no worker's was meant for the inbox: it may be there, and want another command. */
async function inboxRefusal(host: HostApi, name: string, refusal: Refusal): Promise<Refusal> {
  if (refusal.code !== 'not-found') {
    return refusal;
  }
  const shown = displayText(name);
  const snapshot = await host.look();
  const item = [...openInbox(snapshot), ...snoozedInbox(snapshot)].find(({ id }) => id === name);
  if (item?.canAnswer === true) {
    return { code: 'wrong-state', message: `${shown} wants an answer: \`rollcall answer ${shown} <text>\`` };
  }
  return item === undefined
    ? { code: 'not-found', message: `Nothing in the inbox is called ${shown}. See \`rollcall inbox\`.` }
    : { code: 'wrong-state', message: `${shown} asks for nothing that can be answered. See \`rollcall inbox\`.` };
}

/** `rollcall allow <id>`, `deny <id> [reason]` and `answer <id> <text>` for a worker. Exit code 1 where nothing waits for it. */
export async function answerRequest(
  context: CliContext,
  { name, allow, text }: GivenAnswer,
  options: GlobalOptions,
): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const request = { ...requestNamed(name), allow, text, requestedBy: surfaceOf(options) };
    const outcome = await host.answerRequest(request);
    if (!outcome.ok) {
      return refuse(context, options, await inboxRefusal(host, name, outcome.error));
    }
    context.out(options.json === true ? formatJson(requestAnsweredJson(outcome.value)) : outcome.value.message);
    return 0;
  });
}
