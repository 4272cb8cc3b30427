import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { attestedAt, btoDateOf, type BtoSource } from '../protocol/workers/btoTest';
import { parseLooseJson } from '../protocol/workers/looseJson';
import { plainRecord } from '../protocol/workers/plainRecord';
import type { TriggerFacts } from '../protocol/workers/triggers';
import { typeOfWorkerId } from '../protocol/workers/workerId';
import { readBounded } from '../system/boundedRead';
import { confinedPath } from '../system/safePath';

/** Nothing that is looked for needs more; a project with more folders than that is looked at in part. */
const MAX_FOLDERS = 2_000;
const MAX_BYTES = 1024 * 1024;
const AT_ONCE = 16;
const SUMMARY = '08_executive_summary.md';
const ATTESTATIONS = '.judge-attestations.json';

/** Counts towards `consolidate` what these types write; both analyse the cases (workers.md §2). */
const CONSOLIDATING: ReadonlySet<string> = new Set(['consolidate', 'pattern-analysis']);

export interface TriggerFactsOptions {
  readonly root: string;
  readonly workersDir: string;
  readonly clock: Clock;
}

/** Gathers what the triggers ask for (workers.md §6). Writes nothing, follows no link, never throws for bad content. */
export async function readTriggerFacts({ root, workersDir, clock }: TriggerFactsOptions): Promise<TriggerFacts> {
  const now = clock.now();
  const [researches, features, skills, workers] = await Promise.all([
    foldersIn(root, 'researches'),
    foldersIn(root, 'features'),
    foldersIn(root, '.claude/skills'),
    workerFolders(workersDir),
  ]);
  const claude = await confinedPath(root, '.claude');
  const homes = [root, ...(claude.ok ? [claude.value] : []), ...researches, ...features, ...skills];
  const completed = await eachOf(researches, async (folder) => completedAt(join(folder, SUMMARY)));
  const attested = await eachOf(homes, async (folder) => readWith(join(folder, ATTESTATIONS), now, attestedAt));
  const dated = await eachOf(skills, async (folder) => readWith(join(folder, 'SKILL.md'), now, btoDateOf));
  // Without a completed case nobody asks how many were consolidated, and there may be hundreds of workers to ask.
  const analysed = await eachOf(
    workers.filter(({ type }) => completed.length > 0 && CONSOLIDATING.has(type)),
    async ({ folder }) => casesIn(join(folder, 'output', 'patterns.json')),
  );
  const checked = await eachOf(
    workers.filter(({ type }) => type === 'health-check'),
    async ({ folder }) => completedAt(join(folder, 'output', 'health-report.json')),
  );
  return {
    casesCompletedAt: completed,
    casesConsolidated: newest(analysed) ?? 0,
    btoTestAt: newest([...attested, ...dated]),
    healthCheckedAt: newest(checked),
  };
}

/** The case folders and their like: no dot or underscore names, no links. */
async function foldersIn(root: string, relative: string): Promise<readonly string[]> {
  const confined = await confinedPath(root, relative);
  const entries = confined.ok ? await readdir(confined.value, { withFileTypes: true }).catch(() => []) : [];
  return entries
    .filter((entry) => entry.isDirectory() && !/^[._]/.test(entry.name))
    .slice(0, MAX_FOLDERS)
    .map(({ name }) => join(root, relative, name));
}

interface WorkerFolder {
  readonly type: string;
  readonly folder: string;
}

async function workerFolders(workersDir: string): Promise<readonly WorkerFolder[]> {
  const entries = await readdir(workersDir, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => {
    const type = entry.isDirectory() ? typeOfWorkerId(entry.name) : null;
    return type === null ? [] : [{ type, folder: join(workersDir, entry.name) }];
  });
}

/** When a file that marks a completion was last written; null where it is empty or no regular file. */
async function completedAt(path: string): Promise<number | null> {
  const stat = await lstat(path).catch(() => null);
  return stat?.isFile() === true && stat.size > 0 ? stat.mtimeMs : null;
}

async function readWith(path: string, now: number, read: (source: BtoSource) => number | null): Promise<number | null> {
  const file = await readBounded(path, MAX_BYTES);
  return file.kind === 'ok' ? read({ text: file.text, mtimeMs: file.mtimeMs, now }) : null;
}

async function casesIn(path: string): Promise<number | null> {
  const file = await readBounded(path, MAX_BYTES);
  const parsed = file.kind === 'ok' ? parseLooseJson(file.text) : null;
  const cases = plainRecord(parsed?.ok === true ? parsed.value : null)?.['cases_analyzed'];
  return typeof cases === 'number' && Number.isFinite(cases) ? cases : null;
}

/** What is found for each item, a few at a time, without what was not found. */
async function eachOf<T>(items: readonly T[], find: (item: T) => Promise<number | null>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const some = await Promise.all(items.slice(start, start + AT_ONCE).map(find));
    found.push(...some.filter((one) => one !== null));
  }
  return found;
}

function newest(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b));
}
