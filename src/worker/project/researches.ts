import { inOrder } from './inOrder';
import type { ProjectReader } from './projectReader';

/** One case under `researches/`. */
export interface Research {
  readonly slug: string;
  /** Project-relative path without a trailing slash. */
  readonly folder: string;
  /** When the executive summary was last changed (epoch ms), or null while the case is open (workers.md §2). */
  readonly completedMs: number | null;
  /** The newest change of a file directly in the folder, epoch ms; null for an empty folder. */
  readonly changedMs: number | null;
}

/** The file that completes a case. */
export const SUMMARY = '08_executive_summary.md';

/** All cases of a project by name. */
export async function listResearches(project: ProjectReader): Promise<readonly Research[]> {
  return await inOrder(await namedFolders(project, 'researches'), async (name) => await readResearch(project, name));
}

/** The folders in `folder` by name, e.g. all cases or all features; dot and underscore names are neither (workers.md §2). */
export async function namedFolders(project: ProjectReader, folder: string): Promise<readonly string[]> {
  const entries = (await project.list(folder)) ?? [];
  return entries.filter(({ name, kind }) => kind === 'folder' && !/^[._]/.test(name)).map(({ name }) => name);
}

/** Whether the case has a non-empty executive summary (workers.md §2). */
export async function isCompleted(project: ProjectReader, slug: string): Promise<boolean> {
  return (await completion(project, slug)) !== null;
}

async function completion(project: ProjectReader, slug: string): Promise<number | null> {
  const summary = await project.stat(`researches/${slug}/${SUMMARY}`);
  return summary?.kind === 'file' && summary.size > 0 ? summary.mtimeMs : null;
}

async function readResearch(project: ProjectReader, slug: string): Promise<Research> {
  const folder = `researches/${slug}`;
  const files = ((await project.list(folder)) ?? []).filter((entry) => entry.kind === 'file');
  const stats = await inOrder(files, async ({ name }) => await project.stat(`${folder}/${name}`));
  const times = stats.flatMap((stat) => (stat === null ? [] : [stat.mtimeMs]));
  return {
    slug,
    folder,
    completedMs: await completion(project, slug),
    changedMs: times.length === 0 ? null : Math.max(...times),
  };
}

/** When the most recently completed case was completed, or null where none is. */
export function newestCompletion(researches: readonly Research[]): number | null {
  const times = researches.flatMap(({ completedMs }) => (completedMs === null ? [] : [completedMs]));
  return times.length === 0 ? null : Math.max(...times);
}
