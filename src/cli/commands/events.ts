import type { EventsFrom } from '../../core/host/eventReader';
import { eventText } from '../../core/presenter/eventText';
import type { EventLine } from '../../core/protocol/events/eventLine';
import { aborted } from '../aborted';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { eventLineJson } from '../json/resultJson';
import { withHost } from '../withHost';

export interface EventsOptions extends GlobalOptions {
  readonly since?: EventsFrom;
  readonly follow?: true;
}

/** `rollcall events [--since …] [-f]`: the log of events, oldest first; with `-f` until Ctrl-C. */
export async function events(context: CliContext, options: EventsOptions): Promise<ExitCode> {
  const { since = { kind: 'all' }, follow, json } = options;
  const print = (event: EventLine): void => {
    context.out(json === true ? eventLineJson(event) : eventText(event));
  };
  return await withHost(context, options, async (host) => {
    if (follow !== true) {
      await host.readEvents(since, print);
      return 0;
    }
    const signal = context.interrupted();
    const following = host.followEvents(since, print);
    await aborted(signal);
    following.dispose();
    return 130;
  });
}
