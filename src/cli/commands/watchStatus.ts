import type { HostApi } from '../../core/host/api';
import type { FeaturesSnapshot } from '../../core/protocol/features/featureSnapshot';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { aborted } from '../aborted';
import type { CliContext, ExitCode } from '../cliContext';
import { lookJson, lookText, problemLines, type StatusLook, type StatusOptions } from '../statusLook';

/** Clears the screen and what has scrolled off it, and goes to the corner. */
const CLEAR = '\u001B[H\u001B[2J\u001B[3J';

/**
 * `rollcall status --watch`: the status after each change, until Ctrl-C. A terminal is drawn again; elsewhere one
 * status follows the other, with `--json` a document per line.
 */
export async function watchStatus(context: CliContext, host: HostApi, options: StatusOptions): Promise<ExitCode> {
  const signal = context.interrupted();
  const { tz, feature } = options;
  const request = { ...(tz === undefined ? {} : { tz }), ...(feature === undefined ? {} : { feature }) };
  let fleet: FleetSnapshot | null = null;
  let features: FeaturesSnapshot | null = null;
  const print = (): void => {
    if (fleet !== null && features !== null) {
      const look = { fleet, features };
      const text =
        options.json === true ? JSON.stringify(lookJson(look, options)) : watchedText(context, look, options);
      printLook(context, text, options);
    }
  };
  await host.watch();
  fleet = await host.look();
  const changes = host.onDidChangeSnapshot((snapshot) => {
    fleet = snapshot;
    print();
  });
  const following = host.followFeatures({ ...request, ticking: isDrawn(context, options) }, (snapshot) => {
    features = snapshot;
    print();
  });
  await aborted(signal);
  changes.dispose();
  following.dispose();
  return 130;
}

/** With what could not be read under it: a picture that is drawn again leaves no place for diagnostics beside it. */
function watchedText(context: CliContext, look: StatusLook, options: StatusOptions): string {
  const parts = [lookText(context, look, options), problemLines(look).join('\n')];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Whether a person watches: then ages go on, too. */
function isDrawn({ colour }: CliContext, { json }: StatusOptions): boolean {
  return colour && json !== true;
}

function printLook(context: CliContext, text: string, options: StatusOptions): void {
  if (isDrawn(context, options)) {
    context.outRaw(CLEAR);
    context.out(text);
  } else {
    context.out(options.json === true ? text : `${text}\n`);
  }
}
