import { join } from 'node:path';
import type { Clock } from '../../base/clock';
import { featuresIn } from '../../protocol/features/featureNames';
import { noSources, type FeatureSources } from '../../protocol/features/featureSources';
import { FileTeller } from './fileTeller';
import { readZergFolder, type ZergFiles } from './readZergFolder';
import { isFolder, namesBelow, worktreesOf, type ZergHome } from './projectPlaces';
import { readProjectProgressFile, readSpecs, readWorktreeLogs, type SpecFiles } from './readSpecs';
import { branchLogFolders, readBranches } from './readBranches';
import { readTaskLists } from './readTaskLists';

/** Without one of them there is nothing to look for. */
const RUN_FOLDERS = ['.zerg', '.gsd', '.zerg-worktrees'];

export interface FeatureReaderOptions {
  readonly root: string;
  /** The person's home folder, or null where there is none. */
  readonly home: string | null;
  readonly clock: Clock;
}

/**
 * Gathers what the files of one project say about feature runs (features.md §1). It writes nothing, opens no `.lock`,
 * follows no link out of the project, never throws for bad content, and reads again only what has changed.
 */
export class FeatureReader {
  readonly #options: FeatureReaderOptions;
  readonly #files: FileTeller;

  constructor(options: FeatureReaderOptions) {
    this.#options = options;
    this.#files = new FileTeller(options);
  }

  /** Everything as it is now; `taskHomes` are further homes of task agents' lists. */
  async read(taskHomes: readonly string[]): Promise<FeatureSources> {
    const { root } = this.#options;
    const present = new Set(await namesBelow(root, '.'));
    if (!RUN_FOLDERS.some((name) => present.has(name))) {
      return { ...noSources, projectProgress: await readProjectProgressFile(this.#files, root) };
    }
    const worktrees = await worktreesOf(root);
    const homes = [{ folder: root, worktreeOf: null }, ...worktrees];
    const files = this.#files;
    const [zerg, specs, worktreeLogs] = await Promise.all([
      Promise.all(homes.map(async (home) => readZergFolder(files, home))),
      readSpecs(files, root),
      readWorktreeLogs(files, worktrees),
    ]);
    const sources = joinedSources(zerg, { ...specs, progressLogs: [...specs.progressLogs, ...worktreeLogs] });
    const features = new Set(featuresIn({ ...noSources, ...sources }).keys());
    const branches = await readBranches(files, root, features);
    const taskLists = needsTaskLists(sources) ? await readTaskLists(files, this.#homesWith(taskHomes)) : [];
    const isEmpty = sources.states.length === 0 && sources.graphs.length === 0;
    const projectProgress = isEmpty ? await readProjectProgressFile(files, root) : null;
    return { ...sources, branches, taskLists, projectProgress, diagnostics: files.takeDiagnostics() };
  }

  /** The folders whose changes may mean something, as far as they are there. */
  async watchedFolders(): Promise<readonly string[]> {
    const { root } = this.#options;
    const worktrees: readonly ZergHome[] = await worktreesOf(root);
    const homes = [root, ...worktrees.map(({ folder }) => folder)];
    const ofHome = ['.zerg', join('.zerg', 'state'), join('.zerg', 'logs', 'workers')];
    const specs = await namesBelow(root, join('.gsd', 'specs'));
    const folders = [
      ...homes.flatMap((home) => ofHome.map((name) => join(home, name))),
      join(root, '.gsd'),
      join(root, '.gsd', 'specs'),
      ...specs.map((name) => join(root, '.gsd', 'specs', name)),
      ...(await branchLogFolders(root)),
    ];
    const there = await Promise.all(folders.map(isFolder));
    return folders.filter((_folder, at) => there[at] === true);
  }

  #homesWith(taskHomes: readonly string[]): readonly string[] {
    const { home, root } = this.#options;
    const named = taskHomes.map((path) => homePath(path, home, root));
    return [...new Set([...(home === null ? [] : [home]), ...named])];
  }
}

/** `~` is the person's home; what is not absolute lies in the project. */
function homePath(path: string, home: string | null, root: string): string {
  if (home !== null && /^~(?:[\\/]|$)/.test(path)) {
    return join(home, path.slice(1));
  }
  return /^(?:[\\/]|[a-z]:[\\/])/i.test(path) ? path : join(root, path);
}

function joinedSources(
  zerg: readonly ZergFiles[],
  specs: SpecFiles,
): Omit<FeatureSources, 'branches' | 'taskLists' | 'projectProgress' | 'diagnostics'> {
  return {
    ...specs,
    states: zerg.flatMap(({ states }) => states),
    eventLogs: zerg.flatMap(({ eventLogs }) => eventLogs),
    heartbeats: zerg.flatMap(({ heartbeats }) => heartbeats),
    workerProgress: zerg.flatMap(({ workerProgress }) => workerProgress),
    tokens: zerg.flatMap(({ tokens }) => tokens),
    escalations: zerg.flatMap(({ escalations }) => escalations),
    workerLogs: zerg.flatMap(({ workerLogs }) => workerLogs),
  };
}

/** A list says something only of a designed feature of which nothing else tells. */
function needsTaskLists({
  graphs,
  states,
  progressLogs,
}: Pick<FeatureSources, 'graphs' | 'states' | 'progressLogs'>): boolean {
  const told = new Set([...states, ...progressLogs].map(({ feature }) => feature));
  return graphs.some(({ feature }) => !told.has(feature));
}
