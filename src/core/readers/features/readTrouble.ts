const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'your user may not read it',
  EPERM: 'your user may not read it',
  ENOTDIR: 'it is no folder',
  EIO: 'the disk reports an error',
};

/** Why something of a run cannot be read, from the system's code; a rare code stands for itself. */
export function readTrouble(code: string): string {
  return WORDS[code] ?? code;
}
