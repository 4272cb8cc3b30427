import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { errorCode } from '../base/errorText';

/** Where a program is, or the system's code for why it cannot be run (`ENOENT`, `EACCES`). */
export type FoundProgram =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly code: string };

/**
 * Finds a program as the system would that starts it: a name on `path`, anything with a slash from `cwd`. POSIX rules;
 * no extensions are tried.
 */
export async function findProgram(command: string, path: string, cwd: string): Promise<FoundProgram> {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : path
        .split(delimiter)
        .filter((folder) => folder !== '')
        .map((folder) => join(folder, command));
  let code = 'ENOENT';
  for (const candidate of candidates) {
    const refusal = await refusalOf(candidate);
    if (refusal === null) {
      return { found: true, path: candidate };
    }
    code = refusal === 'EACCES' ? refusal : code;
  }
  return { found: false, code };
}

async function refusalOf(path: string): Promise<string | null> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile() ? null : 'EACCES';
  } catch (error) {
    return errorCode(error) ?? 'ENOENT';
  }
}
