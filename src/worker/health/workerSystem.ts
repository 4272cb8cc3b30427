import { plainRecord } from '../../core/protocol/workers/plainRecord';
import { foldStatusWord } from '../../core/protocol/workers/statusWord';
import { isWorkerId } from '../../core/protocol/workers/workerId';
import { counted } from '../project/counted';
import { inOrder } from '../project/inOrder';
import type { ProjectReader } from '../project/projectReader';
import { readJson } from '../project/readJson';
import { type Check, type CheckContext, type CheckOutcome, conclude, type Finding } from './check';

/** A running worker whose status.json is unchanged for longer is stale (workers.md §4.7). */
const STALE_MS = 15 * 60_000;

/** The registry can be read, no running worker is stale, and no worker folder is orphaned. */
export const workerSystem: Check = {
  name: 'worker-system',
  async run({ project, now, workerId, workersRoot }: CheckContext): Promise<CheckOutcome> {
    if (workersRoot === null) {
      const advice = 'Keep the workers root inside the project.';
      return conclude('', [{ level: 'warn', text: 'the workers root lies outside the project', advice }]);
    }
    // Folders first: a worker that starts meanwhile is in the registry by the time that is read.
    const folders = await workerFolders(project, workersRoot, workerId);
    const reading = await readJson(project, `${workersRoot}/registry.json`);
    if (reading.kind === 'bad') {
      const advice = 'Refresh the workers: a corrupt registry is set aside and rebuilt from the worker folders.';
      return conclude('', [{ level: 'fail', text: `registry.json ${reading.reason}`, advice }]);
    }
    const rows = reading.kind === 'ok' ? registryRows(reading.value) : [];
    const others = rows.filter(({ id }) => id !== workerId);
    const findings = [
      ...(await staleFindings(project, workersRoot, others, now)),
      ...orphanFindings(folders, new Set(rows.map(({ id }) => id))),
    ];
    return conclude(`${counted(others.length, 'other worker')} known, none stale, none orphaned`, findings);
  },
};

interface RegistryRow {
  readonly id: string;
  readonly status: unknown;
}

function registryRows(document: unknown): readonly RegistryRow[] {
  const record = plainRecord(document);
  const list = record?.['workers'] ?? record?.['active_workers'];
  return (Array.isArray(list) ? list : []).flatMap((row: unknown) => {
    const { worker_id: id, status } = plainRecord(row) ?? {};
    return typeof id === 'string' && isWorkerId(id) ? [{ id, status }] : [];
  });
}

async function workerFolders(project: ProjectReader, workersRoot: string, own: string): Promise<readonly string[]> {
  const entries = (await project.list(workersRoot)) ?? [];
  return entries
    .filter(({ kind, name }) => kind === 'folder' && name !== own && isWorkerId(name))
    .map(({ name }) => name);
}

async function staleFindings(
  project: ProjectReader,
  workersRoot: string,
  rows: readonly RegistryRow[],
  now: number,
): Promise<readonly Finding[]> {
  const judged = await inOrder(rows, async ({ id, status }) => {
    const file = `${workersRoot}/${id}/status.json`;
    const [stat, reading] = await Promise.all([project.stat(file), readJson(project, file)]);
    const word = reading.kind === 'ok' ? plainRecord(reading.value)?.['status'] : status;
    return foldStatusWord(word) === 'running' ? staleFinding(id, stat?.mtimeMs ?? null, now) : null;
  });
  return judged.filter((finding) => finding !== null);
}

function staleFinding(id: string, mtimeMs: number | null, now: number): Finding | null {
  const advice = 'Look at the log of stale workers and stop those that do nothing.';
  if (mtimeMs === null) {
    return { level: 'warn', text: `${id} is said to run and has no status.json`, advice };
  }
  const minutes = Math.floor((now - mtimeMs) / 60_000);
  const text = `${id} is stale: it runs and reported nothing for ${minutes} minutes`;
  return now - mtimeMs > STALE_MS ? { level: 'warn', text, advice } : null;
}

function orphanFindings(folders: readonly string[], known: ReadonlySet<string>): readonly Finding[] {
  return folders
    .filter((name) => !known.has(name))
    .map((name) => ({
      level: 'warn',
      text: `${name} is orphaned: a worker folder without a registry entry`,
      advice: 'Look into orphaned worker folders and delete those that nobody needs.',
    }));
}
