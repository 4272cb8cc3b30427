import { fail, ok } from '../base/result';
import { findGarbage, type GarbageFolder, moveToTrash, restoreNewestBatch } from '../registry/garbage';
import { refusalOf } from '../registry/registryRefusal';
import type { GarbageReport, Outcome, Refusal } from './api';
import type { HostContext } from './hostContext';

const NOTHING: GarbageReport = { folders: [], trash: null };

/**
 * Finds the folders that nobody needs, and moves them into the trash unless it is a dry run. Under the registry lock, so
 * that no refresh puts an entry back for a folder that is on its way out.
 */
export async function collectGarbage(
  { dryRun }: { readonly dryRun: boolean },
  host: HostContext,
): Promise<Outcome<GarbageReport>> {
  const { workersDir, clock } = host;
  return await underRegistryLock(host, async (known) => {
    const now = clock.now();
    const folders = await findGarbage({ workersDir, known, now });
    const ids = folders.map(({ workerId }) => workerId);
    return dryRun || ids.length === 0
      ? { folders, trash: null }
      : { folders, trash: await moveToTrash(workersDir, ids, now) };
  });
}

/** Puts back what the newest collection took. */
export async function restoreGarbage(host: HostContext): Promise<Outcome<GarbageReport>> {
  return await underRegistryLock(host, async () => {
    const back = await restoreNewestBatch(host.workersDir);
    return back === null ? NOTHING : { folders: back.restored satisfies readonly GarbageFolder[], trash: back.batch };
  });
}

async function underRegistryLock(
  host: HostContext,
  job: (known: ReadonlySet<string>) => Promise<GarbageReport>,
): Promise<Outcome<GarbageReport>> {
  if (host.refused !== null) {
    return fail<Refusal>({ code: 'unsafe-root', message: host.refused });
  }
  const report = { value: NOTHING };
  try {
    const locked = await host.registry.update(
      async ({ rows }) => {
        const ids = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.worker_id] : (row.workerId ?? [])));
        report.value = await job(new Set(ids));
        return null;
      },
      { create: false },
    );
    return locked.ok ? ok(report.value) : locked;
  } catch (error) {
    return fail(refusalOf(error, 'move worker folders', host.workersDir));
  }
}
