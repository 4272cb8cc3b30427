import { fail, ok } from '../base/result';
import { askedFor } from '../protocol/workers/askedFor';
import { QUEUE_MAX_LENGTH, type QueuedStart } from '../protocol/workers/queueDocument';
import { entriesOf } from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import type { Outcome, Refusal, StartRequest } from './api';
import type { HostContext } from './hostContext';

/** Enters a start that waits for a free slot. The caller has validated it and made the workers folder. */
export async function enqueueStart(request: StartRequest, host: HostContext): Promise<Outcome<QueuedStart>> {
  const { type, engine, isolation } = request;
  const asked = askedFor(engine, isolation);
  const start: QueuedStart = { id: `q-${host.randomHex(4)}`, type, since: host.clock.now(), ...asked };
  const queue = await host.queueFile.update((before) =>
    before.length < QUEUE_MAX_LENGTH ? [...before, start] : before,
  );
  if (!queue.ok) {
    return queue;
  }
  return queue.value.some(({ id }) => id === start.id)
    ? ok(start)
    : fail<Refusal>({
        code: 'limit',
        message: `${String(QUEUE_MAX_LENGTH)} starts are waiting already. Cancel some of them first.`,
      });
}

/** Takes a queued start back; it is named by its id or the unique beginning of it. */
export async function dequeueStart(wanted: string, host: HostContext): Promise<Outcome<QueuedStart>> {
  if (host.refused !== null) {
    return fail<Refusal>({ code: 'unsafe-root', message: host.refused });
  }
  const matches = (await host.queueFile.read()).filter(({ id }) => id.startsWith(wanted));
  const [start] = matches;
  if (start === undefined || wanted === '') {
    return fail<Refusal>({ code: 'not-found', message: `No queued start ${wanted}. Look at the queue first.` });
  }
  if (matches.length > 1) {
    const ids = matches.map(({ id }) => `  ${id}`).join('\n');
    return fail<Refusal>({ code: 'ambiguous', message: `Several queued starts match ${wanted}:\n${ids}` });
  }
  return await takeBack(start, host);
}

/** Under the registry lock, where starts are entered: a start is taken back, or it is a worker, and never both. */
async function takeBack(start: QueuedStart, host: HostContext): Promise<Outcome<QueuedStart>> {
  const outcome: { value: Outcome<QueuedStart> | null } = { value: null };
  const locked = await host.registry.update(
    async (document) => {
      outcome.value = await takeBackFrom(entriesOf(document), start, host);
      return null;
    },
    { create: false },
  );
  // Without a registry there is no worker, and the change did not run.
  return locked.ok ? (outcome.value ?? (await takeBackFrom([], start, host))) : locked;
}

async function takeBackFrom(
  entries: readonly RegistryEntry[],
  start: QueuedStart,
  { queueFile }: HostContext,
): Promise<Outcome<QueuedStart>> {
  const worker = entries.find(({ extra }) => extra['queue_id'] === start.id);
  if (worker !== undefined) {
    const message = `The queued start ${start.id} was made already: it is ${worker.worker_id}. Stop that worker.`;
    return fail<Refusal>({ code: 'wrong-state', message });
  }
  const queue = await queueFile.update((before) => before.filter(({ id }) => id !== start.id));
  return queue.ok ? ok(start) : queue;
}
