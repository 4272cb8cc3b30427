/** What the commonest codes of the system say of a path, as the end of a sentence that begins with it. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be used by your user',
  EPERM: 'may not be changed by your user',
  EROFS: 'is on a disk that can only be read',
  ENOSPC: 'cannot be written, because the disk is full',
  EDQUOT: 'cannot be written, because your share of the disk is full',
  EMFILE: 'cannot be opened, because too many files are open',
  ENFILE: 'cannot be opened, because too many files are open',
  EISDIR: 'is a folder',
  ENOTDIR: 'lies below something that is no folder',
  EEXIST: 'exists already',
  ELOOP: 'is a link that leads nowhere',
  EIO: 'cannot be used, because the disk reports an error',
};

/** The message of anything that was thrown; that of a system error about a path in plain words, with its code. */
export function errorText(error: unknown): string {
  const code = errorCode(error) ?? '';
  const words = WORDS[code];
  if (words !== undefined && error instanceof Error && 'path' in error && typeof error.path === 'string') {
    return `${error.path} ${words} (${code})`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system error such as `ENOENT`, or undefined. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
