import { failureCause } from '../../core/presenter/failureCause';
import { formatDuration } from '../../core/presenter/formatDuration';
import { forFuse } from '../../core/presenter/nextActions';
import { plainLine } from '../../core/presenter/plainText';
import { plainEnglish } from '../../core/presenter/words';
import { fuseText } from '../../core/protocol/keeper/fuse';
import type { WorkerSnapshot } from '../../core/protocol/snapshot';
import { MAX_RETRIES } from '../../core/protocol/workers/retryRule';

/** How a worker ended, for a person who waited for it until `now` (epoch ms): one line, then where to look. */
export function endText(worker: WorkerSnapshot, now: number): string {
  const { workerId, state, entry } = worker;
  switch (state) {
    case 'completed':
      return [`Worker ${workerId} completed.`, ...outputLines(worker), ...worktreeLines(worker)].join('\n');
    case 'failed':
    case 'backoff':
      return [
        `Worker ${workerId} failed: ${failureCause(worker, plainEnglish)}`,
        ...errorLines(worker),
        ...retryLines(worker, now),
        ...worktreeLines(worker),
      ].join('\n');
    case 'stopped':
      return [
        `Worker ${workerId} stopped${fuseCause(worker)}.`,
        ...forceLines(worker),
        ...fuseLines(worker),
        ...worktreeLines(worker),
      ].join('\n');
    case 'starting':
    case 'running':
    case 'stopping':
    case 'parked':
    case 'unknown':
      return `Worker ${workerId} is gone, and nobody saw how it ended (status: ${entry.status}).`;
  }
}

function outputLines({ entry, outputs }: WorkerSnapshot): readonly string[] {
  return outputs.map((name) => `  ${entry.output_dir}output/${plainLine(name)}`);
}

/** What it edited is not in the project yet, and how to take it over. */
function worktreeLines({ workerId, isolation }: WorkerSnapshot): readonly string[] {
  return isolation?.level === 'worktree'
    ? [
        `  Its changes wait in the worktree .keysarium/worktrees/${workerId}.`,
        `  See them with \`rollcall worktree diff ${workerId}\`, take them with \`rollcall worktree merge --commit ${workerId}\`.`,
      ]
    : [];
}

/** The hardest step that the stop's receipt has, where asking was not enough. */
function forceLines({ stop }: WorkerSnapshot): readonly string[] {
  const last = stop?.steps.findLast(({ step }) => step === 'terminate' || step === 'kill');
  return last === undefined || stop?.finished !== true
    ? []
    : [`  Ended by ${last.step === 'kill' ? 'SIGKILL' : 'SIGTERM'}; none of its processes is left.`];
}

function fuseCause({ fuses }: WorkerSnapshot): string {
  const blown = fuses?.blown ?? null;
  return blown === null ? '' : ` by a fuse (${fuseText(blown)})`;
}

function fuseLines(worker: WorkerSnapshot): readonly string[] {
  const { workerId, attention } = worker;
  const reset = attention?.kind === 'fuse' ? [`Reset: rollcall fuse reset ${workerId}`] : [];
  return [...forFuse(worker, plainEnglish), ...reset].map((line) => `  ${line}`);
}

function retryLines({ nextStartAt, entry }: WorkerSnapshot, now: number): readonly string[] {
  if (nextStartAt === null) {
    return [];
  }
  const when = nextStartAt > now ? `in ${formatDuration(nextStartAt - now)}` : 'now';
  const nth = `${String(entry.retry_count + 1)} of ${String(MAX_RETRIES)}`;
  return [`  It is retried ${when} (${nth}) while a window or program leads this project.`];
}

function errorLines({ error, logFile }: WorkerSnapshot): readonly string[] {
  const said = error === null ? [] : [`  ${plainLine(error)}`];
  return [...said, `  Log: ${logFile}`];
}
