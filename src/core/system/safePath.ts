import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { errorCode, errorText } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i;

/** Why this project-relative path must not be used, or null. Looks at the text alone and judges alike on every platform. */
export function relativePathProblem(relative: string): string | null {
  if (relative === '' || relative.includes('\0')) {
    return 'is empty or contains a NUL character';
  }
  if (/^[\\/]/.test(relative) || /^[a-z]:/i.test(relative)) {
    return 'is absolute';
  }
  const parts = relative.split(/[\\/]/);
  if (parts.includes('..')) {
    return 'leads upward with ".."';
  }
  const device = parts.find((part) => WINDOWS_DEVICE.test(part.trim()));
  return device === undefined ? null : `contains the device name "${device}"`;
}

/**
 * The absolute path of `relative` below `root`, if nothing on the way is a link out of it. The path itself need not
 * exist. The error is one plain sentence.
 */
export async function confinedPath(root: string, relative: string): Promise<Result<string, string>> {
  const problem = relativePathProblem(relative);
  if (problem !== null) {
    return fail(`The path ${JSON.stringify(relative)} ${problem}.`);
  }
  const path = join(root, relative);
  try {
    const realRoot = await realpath(root);
    const real = await realOfExisting(path);
    if (real === realRoot || real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)) {
      return ok(path);
    }
    return fail(`The path ${JSON.stringify(relative)} leads out of the project through a link.`);
  } catch (error) {
    return fail(`The path ${JSON.stringify(relative)} cannot be checked: ${errorText(error)}.`);
  }
}

/** The real path of the deepest part that exists. A link that leads nowhere exists, and cannot be resolved. */
async function realOfExisting(path: string): Promise<string> {
  try {
    await lstat(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) === 'ENOENT' && parent !== path) {
      return await realOfExisting(parent);
    }
    throw error;
  }
  return await realpath(path);
}
