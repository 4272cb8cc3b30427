import { join } from 'node:path';
import { type BranchCommit, readBranchLog } from '../../protocol/features/branchLog';
import type { BranchSource } from '../../protocol/features/featureSources';
import { readPackedBranches, type WorkerBranch, workerBranch } from '../../protocol/features/workerBranch';
import { confinedPath } from '../../system/safePath';
import type { FileTeller } from './fileTeller';
import { gitFolder } from './gitFolder';
import { foldersIn, plainFilesIn } from './projectPlaces';

const PACKED_MAX_BYTES = 16 * 1024 * 1024;
const LOG_MAX_BYTES = 1024 * 1024;
const BRANCHES = join('refs', 'heads', 'zerg');
/** Git's logs of them. */
const BRANCH_LOGS = join('logs', BRANCHES);

/**
 * The workers' branches of these features in the project's repository with their last commits, read from git's own
 * files; no program is run. No path is made of a feature's name: what git lists is compared with it (features.md §1).
 */
export async function readBranches(
  files: FileTeller,
  root: string,
  features: ReadonlySet<string>,
): Promise<readonly BranchSource[]> {
  const git = features.size === 0 ? null : await gitFolder(root);
  if (git === null) {
    return [];
  }
  const [loose, packed] = await Promise.all([branchesBelow(git, BRANCHES, features), packedBranches(files, git)]);
  const named = new Map([...packed, ...loose].map((branch) => [branch.name, branch]));
  const branches = [...named.values()].filter(({ feature }) => features.has(feature));
  // Git keeps no log of what it has no branch of, so that a listing is spared where there is none.
  const logged = branches.length === 0 ? [] : await branchesBelow(git, BRANCH_LOGS, features);
  const paths = new Map(logged.map(({ name, path }) => [name, path]));
  const sources = branches.map(async ({ feature, worker, name }) => {
    const commits = await readLog(files, paths.get(name));
    return { feature, worker, name, commits };
  });
  return await Promise.all(sources);
}

/** The folders in which git notes the commits on workers' branches, absolute. */
export async function branchLogFolders(root: string): Promise<readonly string[]> {
  const git = await gitFolder(root);
  const confined = git === null ? null : await confinedPath(git, BRANCH_LOGS);
  return confined?.ok === true ? (await foldersIn(confined.value)).map((name) => join(confined.value, name)) : [];
}

interface FoundBranch extends WorkerBranch {
  readonly path: string;
}

/** What git keeps for each worker's branch in a folder below its own. */
async function branchesBelow(
  git: string,
  folder: string,
  features: ReadonlySet<string>,
): Promise<readonly FoundBranch[]> {
  const confined = await confinedPath(git, folder);
  const names = confined.ok ? await foldersIn(confined.value) : [];
  const found = names
    .filter((name) => features.has(name))
    .map(async (feature) => {
      const parts = await plainFilesIn(join(git, folder, feature));
      return parts.flatMap((part) => {
        const branch = workerBranch(feature, part);
        return branch === null ? [] : [{ ...branch, path: join(git, folder, feature, part) }];
      });
    });
  return (await Promise.all(found)).flat();
}

async function packedBranches(files: FileTeller, git: string): Promise<readonly WorkerBranch[]> {
  const path = join(git, 'packed-refs');
  return (await files.tell({ path, maxBytes: PACKED_MAX_BYTES, parse: readPackedBranches }))?.value ?? [];
}

async function readLog(files: FileTeller, path: string | undefined): Promise<readonly BranchCommit[]> {
  if (path === undefined) {
    return [];
  }
  return (await files.tell({ path, maxBytes: LOG_MAX_BYTES, parse: readBranchLog }))?.value ?? [];
}
