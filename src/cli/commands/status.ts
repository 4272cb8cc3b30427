import type { HostApi } from '../../core/host/api';
import { plainLine } from '../../core/presenter/plainText';
import { fleetFuseDetail } from '../../core/protocol/fleetFuse';
import { localInstant } from '../../core/protocol/features/instant';
import { machineZone, namedZone } from '../../core/protocol/features/zone';
import { surfaceOf, type CliContext, type ExitCode } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { isBlind, lookJson, lookText, problemLines, type StatusLook, type StatusOptions } from '../statusLook';
import { tellConfig } from '../tellConfig';
import { tellSuggestions } from '../tellSuggestions';
import { withHost } from '../withHost';
import { watchStatus } from './watchStatus';

/**
 * `rollcall status`: the status protocol with the document's table, then the dashboard of each feature run. Creates
 * nothing where nothing is, and with `--at` nothing anywhere. Exit code 1 when nothing can be told about the workers, or
 * `--feature` names none; other problems stand on stderr beside the table.
 */
export async function status(context: CliContext, options: StatusOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    if (options.watch === true) {
      return await watchStatus(context, host, options);
    }
    const look = await lookOnce(host, options);
    if (options.feature !== undefined && look.features.features.length === 0) {
      const message = `No feature run is called "${plainLine(options.feature)}". Without --feature all are shown.`;
      return refuse(context, options, { code: 'not-found', message });
    }
    const blind = isBlind(look.fleet) && options.feature === undefined;
    const text = options.json === true ? formatJson(lookJson(look, options)) : lookText(context, look, options);
    if (text !== '') {
      context.out(text);
    }
    tellProblems(context, look, options);
    return blind ? 1 : 0;
  });
}

async function lookOnce(host: HostApi, options: StatusOptions): Promise<StatusLook> {
  const { at: written, tz, feature } = options;
  const zone = (tz === undefined ? null : namedZone(tz)) ?? machineZone;
  const at = localInstant(written ?? null, { zone, now: Number.POSITIVE_INFINITY });
  const request = { ...(tz === undefined ? {} : { tz }), ...(feature === undefined ? {} : { feature }) };
  if (at === null) {
    const [fleet, features] = await Promise.all([host.refresh(), host.features(request)]);
    return { fleet, features };
  }
  const [fleet, features] = await Promise.all([host.look(), host.features({ ...request, at })]);
  return { fleet: { ...fleet, at }, features };
}

function tellProblems(context: CliContext, look: StatusLook, options: StatusOptions): void {
  const { fleet } = look;
  const told = options.json === true ? fleet.problems.map(({ message }) => message) : problemLines(look);
  for (const line of told) {
    context.err(line);
  }
  for (const fuse of fleet.fuses) {
    context.err(`Fuse blown: ${fleetFuseDetail(fuse)}. Reset: rollcall fuse reset ${fuse.name}`);
  }
  tellConfig(context, fleet.configDiagnostics);
  tellSuggestions(context, fleet.suggestions, surfaceOf(options));
}
