import { readdirSync, readFileSync } from 'node:fs';

/** One running process, as /proc shows it. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** True for a process that has ended and waits for its parent to notice. */
  readonly ended: boolean;
  readonly command: string;
}

/** All processes of this machine (Linux). */
export function listProcesses(): ListedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid: number): ListedProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name stands in brackets and may itself hold brackets and spaces.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), group: Number(group), ended: state === 'Z', command };
  } catch {
    // It ended between the listing and the look.
    return undefined;
  }
}
