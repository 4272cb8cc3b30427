import { join } from 'node:path';
import type { FeatureFile, FeatureSources, ProjectProgress } from '../../protocol/features/featureSources';
import { type ProgressLine, readProgressLog } from '../../protocol/features/progressLog';
import { readProjectProgress } from '../../protocol/features/projectProgress';
import { readAssignments } from '../../protocol/features/sideFiles';
import { readTaskGraph } from '../../protocol/features/taskGraph';
import { confinedPath } from '../../system/safePath';
import type { FileTeller } from './fileTeller';
import { foldersIn, type ZergHome } from './projectPlaces';

const GRAPH_MAX_BYTES = 16 * 1024 * 1024;
const TEXT_MAX_BYTES = 8 * 1024 * 1024;
const NAME_MAX_BYTES = 4 * 1024;

/** What lies in `.gsd`. */
export type SpecFiles = Pick<FeatureSources, 'graphs' | 'assignments' | 'started' | 'progressLogs' | 'currentFeature'>;

/** Reads the designs of all features. */
export async function readSpecs(files: FileTeller, root: string): Promise<SpecFiles> {
  const confined = await confinedPath(root, '.gsd/specs');
  if (!confined.ok) {
    files.note(confined.error);
  }
  // A state whose name begins with a dot is none either.
  const features = confined.ok ? (await foldersIn(confined.value)).filter((name) => !name.startsWith('.')) : [];
  if (confined.ok && features.length === 0) {
    await files.noteUnlisted(confined.value);
  }
  const specs = join(root, '.gsd', 'specs');
  const read = await Promise.all(features.map(async (feature) => readSpec(files, join(specs, feature), feature)));
  return {
    graphs: read.flatMap(({ graph }) => graph),
    assignments: read.flatMap(({ assignments }) => assignments),
    started: read.flatMap(({ started }) => started),
    progressLogs: read.flatMap(({ progressLog }) => progressLog),
    currentFeature: confined.ok ? await currentFeature(files, root) : null,
  };
}

async function readSpec(
  files: FileTeller,
  folder: string,
  feature: string,
): Promise<{
  readonly graph: SpecFiles['graphs'];
  readonly assignments: SpecFiles['assignments'];
  readonly started: SpecFiles['started'];
  readonly progressLog: SpecFiles['progressLogs'];
}> {
  const graphPath = join(folder, 'task-graph.json');
  const assignmentsPath = join(folder, 'worker-assignments.json');
  const [graph, assignments, started, progressLog] = await Promise.all([
    files.tell({ path: graphPath, maxBytes: GRAPH_MAX_BYTES, parse: readTaskGraph }),
    files.tell({ path: assignmentsPath, maxBytes: GRAPH_MAX_BYTES, parse: readAssignments }),
    files.look({ path: join(folder, '.started'), maxBytes: NAME_MAX_BYTES, parse: wholeLine }),
    readLog(files, folder, feature),
  ]);
  return {
    graph: graph === null ? [] : [{ ...graph, feature }],
    assignments: assignments === null ? [] : [{ ...assignments, feature }],
    started: started.kind === 'ok' ? [{ path: files.shown(folder), value: started.value, feature }] : [],
    progressLog,
  };
}

/** A line without its end may be half of one. */
function wholeLine(text: string): string | null {
  return text.endsWith('\n') ? text.trim() : null;
}

async function readLog(
  files: FileTeller,
  folder: string,
  feature: string,
): Promise<readonly FeatureFile<readonly ProgressLine[]>[]> {
  const path = join(folder, 'progress.md');
  const log = await files.tell({ path, maxBytes: TEXT_MAX_BYTES, parse: readProgressLog });
  return log === null ? [] : [{ ...log, feature }];
}

/** The progress logs that workers keep in their worktrees. */
export async function readWorktreeLogs(
  files: FileTeller,
  worktrees: readonly ZergHome[],
): Promise<SpecFiles['progressLogs']> {
  const logs = worktrees.map(async ({ folder, worktreeOf }) => {
    const specs = await confinedPath(folder, '.gsd/specs');
    const own = specs.ok && worktreeOf !== null && (await foldersIn(specs.value)).includes(worktreeOf);
    return own ? await readLog(files, join(specs.value, worktreeOf), worktreeOf) : [];
  });
  return (await Promise.all(logs)).flat();
}

async function currentFeature(files: FileTeller, root: string): Promise<string | null> {
  const path = join(root, '.gsd', '.current-feature');
  const file = await files.look({ path, maxBytes: NAME_MAX_BYTES, parse: (text) => text.trim() });
  return file.kind === 'ok' && file.value !== '' ? file.value : null;
}

/** The project-wide table of progress, for where nothing else tells anything. */
export async function readProjectProgressFile(files: FileTeller, root: string): Promise<ProjectProgress | null> {
  for (const name of ['.gsd/tasks/PROGRESS.md', 'PROGRESS.md']) {
    const confined = await confinedPath(root, name);
    const file = confined.ok
      ? await files.look({ path: confined.value, maxBytes: TEXT_MAX_BYTES, parse: readProjectProgress })
      : null;
    if (confined.ok && file?.kind === 'ok') {
      return { ...file.value, path: files.shown(confined.value) };
    }
  }
  return null;
}
