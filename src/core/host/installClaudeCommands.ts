import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';
import { confinedPath } from '../system/safePath';

/** Slash commands that Rollcall brings, by file name (surfaces.md, "Commands"). */
const NAMES = ['workers.md', 'ralph-coordinator-event.md', 'ralph-coordinator-single.md'] as const;

/** Where Claude Code looks for a project's commands. */
const FOLDER = join('.claude', 'commands');

export interface InstalledCommands {
  /** Absolute. */
  readonly written: readonly string[];
  /** Those that were there already and were left alone, absolute. */
  readonly present: readonly string[];
}

/**
 * Writes the slash commands for Claude Code into the project, each only where there is none of its name. The error is a
 * sentence that ends in what to do. Rejects with the system's error.
 */
export async function installClaudeCommands(request: {
  readonly root: string;
  readonly distDir: string;
}): Promise<Result<InstalledCommands, string>> {
  const written: string[] = [];
  const present: string[] = [];
  for (const name of NAMES) {
    const path = await confinedPath(request.root, join(FOLDER, name));
    if (!path.ok) {
      return fail(`${path.error} Make it a plain folder and try again.`);
    }
    const text = await readFile(join(request.distDir, '..', 'media', 'claude-commands', name), 'utf8');
    const list = (await writeAbsent(path.value, text)) ? written : present;
    list.push(path.value);
  }
  return ok({ written, present });
}

/** True when it was absent. */
async function writeAbsent(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
