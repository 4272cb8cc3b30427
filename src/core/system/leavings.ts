import { existsSync } from 'node:fs';
import { lstat, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Of the places where a program leaves empty folders behind, those where nothing is yet. */
export function absentPlaces(folders: readonly string[], names: readonly string[]): readonly string[] {
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...new Set(places)].filter((place) => !existsSync(place));
}

/** Removes what is new and empty there: an empty `.git` misleads other tools. What holds anything stays. */
export async function removeLeavings(absent: readonly string[]): Promise<void> {
  for (const place of absent) {
    try {
      if ((await lstat(place)).isDirectory()) {
        await rmdir(place);
      }
    } catch {
      // Not there, or not empty: nothing to remove.
    }
  }
}
