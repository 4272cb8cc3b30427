import type { HostApi } from '../../core/host/api';
import { queuedWords } from '../../core/presenter/queuedNode';
import { plainEnglish } from '../../core/presenter/words';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import type { QueuedStart } from '../../core/protocol/workers/queueDocument';
import { askedFor } from '../../core/protocol/workers/askedFor';
import { startedText } from '../../core/protocol/workers/workerTexts';
import { surfaceOf, type CliContext, type ExitCode } from '../cliContext';
import { queuedJson } from '../json/planJson';
import { formatJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { tellBegun, tellStarted } from '../tellStarted';
import { untilStarted } from '../untilStarted';
import type { StartOptions } from './start';

export interface QueueRequest {
  readonly type: string;
  readonly options: StartOptions;
}

/**
 * Starts at once where a slot is free and nobody waits for it, else queues. Whoever leads starts it then; where nobody
 * leads, or with `--wait`, this command stays and leads itself until the start was made. Ctrl-C leaves it in the queue.
 */
export async function startWhenFree(context: CliContext, host: HostApi, request: QueueRequest): Promise<ExitCode> {
  const { type, options } = request;
  const asked = askedFor(options.engine, options.isolation);
  const start = { ...asked, type, requestedBy: surfaceOf(options) };
  if ((await host.look()).queue.length === 0) {
    const outcome = await host.start(start);
    if (outcome.ok || outcome.error.code !== 'limit') {
      return await tellStarted(context, host, outcome, options);
    }
  }
  const queued = await host.enqueue(start);
  if (!queued.ok) {
    return refuse(context, options, queued.error);
  }
  const snapshot = await host.look();
  const stays = snapshot.leader === null || options.wait === true;
  tellQueued(context, { start: queued.value, snapshot, options, stays });
  return stays ? await stay(context, host, queued.value, options) : 0;
}

interface QueuedNews {
  readonly start: QueuedStart;
  readonly snapshot: FleetSnapshot;
  readonly options: StartOptions;
  readonly stays: boolean;
}

/** As JSON there is exactly one document: the start, where the command stays until it is made. */
function tellQueued(context: CliContext, { start, snapshot, options, stays }: QueuedNews): void {
  const place = snapshot.queue.findIndex(({ id }) => id === start.id) + 1;
  if (options.json !== true) {
    // Between the two the leader may have started it.
    const words = place === 0 ? 'queued' : queuedWords(place, plainEnglish);
    context.out(`${start.type} is ${words} (${start.id}). It starts when a slot is free.`);
    context.out(`Use \`rollcall queue cancel ${start.id}\` to take it back.`);
  } else if (!stays) {
    context.out(formatJson(queuedJson(start, place)));
  }
  if (stays && snapshot.leader === null) {
    context.err(
      'No window or program leads this project, so this command waits and starts it. Ctrl-C leaves it queued.',
    );
  }
}

async function stay(context: CliContext, host: HostApi, start: QueuedStart, options: StartOptions): Promise<ExitCode> {
  const signal = context.interrupted();
  const worker = await untilStarted(host, start.id, signal);
  if (worker === 'interrupted') {
    context.err(
      `Stopped waiting. ${start.type} stays queued (${start.id}) until a window or program leads this project.`,
    );
    return 130;
  }
  if (worker === 'gone') {
    const message = `The queued start ${start.id} was taken back or cannot be made. Look at \`rollcall status\`.`;
    return refuse(context, options, { code: 'not-found', message });
  }
  const { type, model, output_dir: outputDir, status, worker_id: workerId } = worker.entry;
  const message = startedText({ workerId, type, model }, surfaceOf(options));
  return await tellBegun(context, host, { workerId, type, model, outputDir, status, message }, options);
}
