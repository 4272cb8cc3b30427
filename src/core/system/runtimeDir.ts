import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../base/errorText';

/** The folder's base: the one of the whole system, except on macOS and Windows, whose temp folders are per user. */
function systemTempDir(platform: NodeJS.Platform = process.platform): string {
  return platform === 'linux' ? '/tmp' : tmpdir();
}

/** The private folder for this user's control sockets, `rollcall-<uid>` (lifecycle §1). Makes nothing. */
export function runtimeDirOf(base: string = systemTempDir()): string {
  return join(base, `rollcall-${process.getuid?.() ?? shortHash(userInfo().username)}`);
}

/** Makes the folder when absent, and rejects when it is a link, belongs to someone else or is open to others. */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  }
  await assertPrivate(folder, process.getuid?.() ?? null);
}

async function assertPrivate(folder: string, uid: number | null): Promise<void> {
  const stat = await lstat(folder);
  const advice = 'Remove it and try again.';
  if (!stat.isDirectory()) {
    throw new Error(`${folder} is not a folder of its own. ${advice}`);
  }
  if (uid !== null && (stat.uid !== uid || (stat.mode & 0o077) !== 0)) {
    throw new Error(`${folder} is not private to this user. ${advice}`);
  }
}

/** Where the control pipe of `key` is: a short hashed socket path in `dir`, or a named pipe on Windows. */
export function endpointFor(dir: string, key: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') {
    return `\\\\.\\pipe\\rollcall-${shortHash(`${dir}\0${key}`)}`;
  }
  return `${dir}/${shortHash(key)}.sock`;
}

/** Throws when the system would cut this socket path: more than 107 bytes on Linux, 103 elsewhere. */
export function assertEndpointLength(endpoint: string, platform: NodeJS.Platform = process.platform): void {
  const limit = platform === 'linux' ? 107 : 103;
  const length = Buffer.byteLength(endpoint);
  if (platform !== 'win32' && length > limit) {
    const message = `The socket's path has ${length} bytes, the system allows ${limit}: ${endpoint}. Use a shorter temp folder.`;
    throw new Error(message);
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}
