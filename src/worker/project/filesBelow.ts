import type { ProjectReader } from './projectReader';

/** Which files of a folder are wanted. */
export interface FileSearch {
  /** How many levels of folders are entered; 1 looks into the folder itself only. */
  readonly depth: number;
  /** No more files than this are collected. */
  readonly max: number;
  readonly isWanted: (name: string) => boolean;
}

export interface FoundFiles {
  /** Project-relative paths, each folder in the order of its names. */
  readonly files: readonly string[];
  /** Whether `max` left any out. */
  readonly isCut: boolean;
}

/** The wanted files of a folder and those below it. Links are not followed; a folder that is not there has no files. */
export async function filesBelow(project: ProjectReader, folder: string, search: FileSearch): Promise<FoundFiles> {
  const files: string[] = [];
  await collect(project, { folder, depth: search.depth }, search, files);
  return { files: files.slice(0, search.max), isCut: files.length > search.max };
}

/** Goes one file beyond `max`, by which the caller sees that something was left out. */
async function collect(
  project: ProjectReader,
  place: { readonly folder: string; readonly depth: number },
  search: FileSearch,
  files: string[],
): Promise<void> {
  for (const { name, kind } of (await project.list(place.folder)) ?? []) {
    const path = `${place.folder}/${name}`;
    if (files.length > search.max) {
      return;
    }
    if (kind === 'folder' && place.depth > 1) {
      await collect(project, { folder: path, depth: place.depth - 1 }, search, files);
    } else if (kind === 'file' && search.isWanted(name)) {
      files.push(path);
    }
  }
}
