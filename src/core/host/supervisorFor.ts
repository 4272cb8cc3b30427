import type { WorkerFacts } from '../protocol/workerFacts';
import { entriesOf } from '../protocol/workers/registryDocument';
import { createSupervisor, type Supervisor } from '../supervisor/supervisor';
import { lostRecord, takeOverSpec } from '../supervisor/takeOverSpec';
import type { HostContext } from './hostContext';
import { keeperSettings } from './keeperSettings';

/** A supervisor whose ways to the outside are those of this host. */
export function supervisorFor(host: HostContext): Supervisor {
  const { clock, logger, program } = host;
  return createSupervisor({
    ...program,
    clock,
    logger,
    record: (event) => {
      host.journal.note(event);
    },
    look: async (workerId) => lookAt(workerId, host),
    takeOverSpec: ({ keeper, entry, folder }, epoch) => {
      const lost = (): ReturnType<typeof lostRecord> =>
        lostRecord(entry.worker_id, entry.started_at, host.randomHex(16));
      // What was secret to the dead keeper is nowhere on disk; what looks like a secret is still blackened.
      const settings = { ...keeperSettings(host), type: entry.type, folder, epoch, secrets: [] };
      return takeOverSpec(keeper?.record ?? lost(), settings);
    },
  });
}

async function lookAt(workerId: string, { registry, fleet }: HostContext): Promise<WorkerFacts | null> {
  const reading = await registry.read();
  const document = fleet.documentOf(reading);
  if (document === null && reading.kind !== 'absent') {
    throw new Error(`registry.json cannot be read now (${reading.kind}), so nobody knows whether it names the worker`);
  }
  const entries = document === null ? [] : entriesOf(document);
  const entry = entries.find((candidate) => candidate.worker_id === workerId);
  return entry === undefined ? null : await fleet.factsOf(entry);
}
