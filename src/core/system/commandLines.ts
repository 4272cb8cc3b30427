import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** How a process was started, and where it works. */
export interface CommandLine {
  readonly pid: number;
  readonly args: readonly string[];
  /** Null where that may not be known. */
  readonly cwd: string | null;
}

/**
 * The processes whose command line has `flag`, as `/proc` shows them; null on a machine without one. Its files live in
 * memory, so reading them synchronously never waits for a disk.
 */
export function commandLinesWith(flag: string, proc = '/proc'): readonly CommandLine[] | null {
  const pids = pidsIn(proc);
  return pids?.flatMap((pid) => commandLine(proc, pid, flag)) ?? null;
}

function pidsIn(proc: string): readonly number[] | null {
  try {
    const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
    return pids.length === 0 ? null : pids.map(Number);
  } catch {
    // macOS and Windows have no such folder.
    return null;
  }
}

function commandLine(proc: string, pid: number, flag: string): readonly CommandLine[] {
  try {
    const text = readFileSync(`${proc}/${String(pid)}/cmdline`, 'utf8');
    return text.includes(flag) ? [{ pid, args: text.split('\0').slice(0, -1), cwd: cwdOf(proc, pid) }] : [];
  } catch {
    // It ended between the listing and the look, or belongs to somebody else.
    return [];
  }
}

function cwdOf(proc: string, pid: number): string | null {
  try {
    return readlinkSync(`${proc}/${String(pid)}/cwd`);
  } catch {
    // Only its owner may know.
    return null;
  }
}
