import { plainLine } from '../../core/presenter/plainText';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { beatJson } from '../json/runJson';
import { refuse } from '../refuse';
import { withHost } from '../withHost';

export interface HeartbeatOptions extends GlobalOptions {
  readonly worker: number;
  readonly task?: string;
  readonly step?: string;
  readonly progress?: number;
  readonly currentStep?: number;
  readonly totalSteps?: number;
  readonly stepStates?: readonly string[];
  readonly feature?: string;
}

/** `rollcall heartbeat --worker <n>`: tells that a worker of a feature run lives, and what it is at (features.md §4). */
export async function heartbeat(context: CliContext, options: HeartbeatOptions): Promise<ExitCode> {
  const { worker, task = null, feature = null } = options;
  const beat = {
    worker,
    task,
    step: options.step ?? (task === null ? 'idle' : 'implementing'),
    progressPct: options.progress ?? 0,
    currentStep: options.currentStep ?? null,
    totalSteps: options.totalSteps ?? null,
    stepStates: options.stepStates ?? null,
  };
  return await withHost(context, options, async (host) => {
    const done = await host.beat({ feature, beat });
    if (!done.ok) {
      return refuse(context, options, done.error);
    }
    const at = task === null ? beat.step : `${task}, ${beat.step}`;
    const text = `Worker ${worker} of ${plainLine(done.value.feature)}: ${plainLine(at)}.`;
    context.out(options.json === true ? formatJson(beatJson(done.value, beat)) : text);
    return 0;
  });
}
