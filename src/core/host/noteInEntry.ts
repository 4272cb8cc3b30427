import type { RegistryDocument } from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import type { Outcome } from './api';
import type { HostContext } from './hostContext';

/** Changes one entry of the registry where it is there; the others stay as they are. */
export async function noteInEntry(
  { registry }: Pick<HostContext, 'registry'>,
  workerId: string,
  note: (entry: RegistryEntry) => RegistryEntry,
): Promise<Outcome<unknown>> {
  const noted = (document: RegistryDocument): RegistryDocument => ({
    ...document,
    rows: document.rows.map((row) =>
      row.kind === 'entry' && row.entry.worker_id === workerId
        ? ({ kind: 'entry', entry: note(row.entry) } as const)
        : row,
    ),
  });
  return await registry.update(noted, { create: false });
}
