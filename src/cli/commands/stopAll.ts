import type { HostApi, StopAllReport } from '../../core/host/api';
import type { FleetProblem } from '../../core/protocol/snapshot';
import { surfaceOf, type CliContext, type ExitCode } from '../cliContext';
import { formatJson, stoppedAllJson } from '../json/resultJson';
import { endText } from '../text/endText';
import { untilEnd } from '../untilEnd';
import { withHost } from '../withHost';
import { refuse } from '../refuse';
import type { StopOptions } from './stop';

/** Where one of these is true, nobody can say that nothing runs. */
const HIDES_WORKERS: ReadonlySet<FleetProblem['code']> = new Set(['unsafe-root', 'registry-unreadable']);

/**
 * `rollcall stop --all [--force] [--wait]`: takes every queued start back and stops every worker. Exit code 1 when one of
 * them goes on. As JSON there is one document, with `--wait` behind the last end.
 */
export async function stopAll(context: CliContext, options: StopOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const [problem] = (await host.look()).problems.filter(({ code }) => HIDES_WORKERS.has(code));
    if (problem !== undefined) {
      return refuse(context, options, problem);
    }
    // Before the person is told anything: from then on Ctrl-C must end the waiting in words.
    const signal = options.wait === true ? context.interrupted() : null;
    const report = await host.stopAll({ force: options.force === true, requestedBy: surfaceOf(options) });
    if (options.json !== true) {
      tell(context, report);
    }
    const waited = signal === null || (await untilAllEnded(context, host, report, { signal, options }));
    if (options.json === true) {
      context.out(formatJson(stoppedAllJson(report)));
    }
    return waited ? (report.refused.length === 0 ? 0 : 1) : 130;
  });
}

function tell(context: CliContext, { stopped, refused, dequeued }: StopAllReport): void {
  for (const { type, id } of dequeued) {
    context.out(`${type} (${id}) is not queued any more.`);
  }
  for (const { message } of stopped) {
    context.out(message);
  }
  for (const { error } of refused) {
    context.err(error.message);
  }
  if (stopped.length + refused.length + dequeued.length === 0) {
    context.out('No workers are running.');
  }
}

/** False when the person ended the waiting. */
async function untilAllEnded(
  context: CliContext,
  host: HostApi,
  { stopped }: StopAllReport,
  { signal, options }: { readonly signal: AbortSignal; readonly options: StopOptions },
): Promise<boolean> {
  for (const { workerId } of stopped) {
    const ended = await untilEnd(context, host, { workerId, signal });
    if (ended === null) {
      return false;
    }
    if (options.json !== true) {
      context.out(endText(ended, Date.now()));
    }
  }
  return true;
}
