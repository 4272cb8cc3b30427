import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { errorCode } from '../base/errorText';
import type { ProcessLook, ProcessProbe, ProcessRow } from './processProbe';

/** What `/proc/<pid>/stat` says, before the boot id makes its start time unique. */
export interface StatLine {
  readonly state: string;
  readonly ppid: number;
  readonly pgid: number;
  /** Field 22: clock ticks since boot. */
  readonly startTicks: string;
}

const MAX_REMEMBERED = 10_000;
const DEAD_STATES = new Set(['Z', 'X', 'x']);

/** Reads `/proc/<pid>/stat`. Null when the text is cut. The command name may hold spaces and brackets. */
export function parseStat(text: string): StatLine | null {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [state, ppid, pgid] = fields;
  const startTicks = fields[19];
  if (state === undefined || ppid === undefined || pgid === undefined || startTicks === undefined) {
    return null;
  }
  return { state, ppid: Number(ppid), pgid: Number(pgid), startTicks };
}

/** Processes as `/proc` shows them. Its files live in memory, so reading them synchronously never waits for a disk. */
export function linuxProbe(proc = '/proc'): ProcessProbe {
  let boot: string | undefined;
  const bootIdNow = (): string => {
    boot ??= readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim();
    return boot;
  };
  const read = (pid: number): ProcessLook => {
    const stat = parseStat(readLine(`${proc}/${pid}/stat`));
    if (stat === null) {
      return { kind: 'gone' };
    }
    const row = { pid, ppid: stat.ppid, pgid: stat.pgid, startTime: `${bootIdNow()}:${stat.startTicks}` };
    return { kind: DEAD_STATES.has(stat.state) ? 'zombie' : 'running', row };
  };
  const processes = new Map<number, string>();
  const look = (pid: number): ProcessLook => {
    try {
      const found = read(pid);
      // What was a process once is one for as long as it lives; the question costs more than the answer changes.
      if (found.kind === 'running' && processes.get(pid) !== found.row.startTime) {
        if (isThread(proc, pid)) {
          return { kind: 'gone' };
        }
        remember(processes, pid, found.row.startTime);
      }
      return found.kind === 'zombie' && isThread(proc, pid) ? { kind: 'gone' } : found;
    } catch {
      // Not in /proc: gone, or hidden from this user by the mount option hidepid. Signal 0 tells which.
      return signalZero(pid);
    }
  };
  return {
    bootId: async () => Promise.resolve(bootIdNow()),
    look: async (pid) => Promise.resolve(look(pid)),
    list: async () => Promise.resolve(pidsIn(proc).flatMap((pid) => rowIfRunning(read, pid))),
    childrenOf: (pid) => childrenOf(proc, pid),
    environmentOf: (pid) => parseEnviron(environOf(proc, pid) ?? ''),
    hasEnvMarker: (pid, marker) => `\0${environOf(proc, pid) ?? ''}`.includes(`\0${marker}\0`),
  };
}

const LINE = Buffer.alloc(4096);

/** One short file of `/proc`, which gives its whole text at once. Every worker's is read every second. */
function readLine(path: string): string {
  const file = openSync(path, 'r');
  try {
    return LINE.toString('latin1', 0, readSync(file, LINE));
  } finally {
    closeSync(file);
  }
}

/** A long life meets many pids; what is forgotten is only asked for again. */
function remember(processes: Map<number, string>, pid: number, startTime: string): void {
  if (processes.size >= MAX_REMEMBERED) {
    processes.clear();
  }
  processes.set(pid, startTime);
}

function isThread(proc: string, pid: number): boolean {
  const status = readFileSync(`${proc}/${pid}/status`, 'latin1');
  return /^Tgid:\s*(\d+)/m.exec(status)?.[1] !== String(pid);
}

function pidsIn(proc: string): readonly number[] {
  return readdirSync(proc).filter(isNumeral).map(Number);
}

function isNumeral(name: string): boolean {
  return /^\d+$/.test(name);
}

function rowIfRunning(read: (pid: number) => ProcessLook, pid: number): readonly ProcessRow[] {
  try {
    const look = read(pid);
    return look.kind === 'running' ? [look.row] : [];
  } catch {
    // It ended between the listing and the look.
    return [];
  }
}

/** Each thread has a list of those that it started itself; kernels can be built without these lists. */
function childrenOf(proc: string, pid: number): readonly number[] {
  try {
    return readdirSync(`${proc}/${pid}/task`).flatMap((thread) =>
      readFileSync(`${proc}/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(isNumeral).map(Number),
    );
  } catch {
    // It or one of its threads ended meanwhile, or the kernel keeps no such lists.
    return [];
  }
}

/** Null for another user's process and for one that just ended. */
function environOf(proc: string, pid: number): string | null {
  try {
    return readFileSync(`${proc}/${pid}/environ`, 'utf8');
  } catch {
    // What cannot be read tells nothing about the process.
    return null;
  }
}

function parseEnviron(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\0').map((pair) => [pair, pair.indexOf('=')] as const);
  return Object.fromEntries(
    pairs.filter(([, equals]) => equals > 0).map(([pair, equals]) => [pair.slice(0, equals), pair.slice(equals + 1)]),
  );
}

function signalZero(pid: number): ProcessLook {
  try {
    process.kill(pid, 0);
    return { kind: 'unclear' };
  } catch (error) {
    return errorCode(error) === 'ESRCH' ? { kind: 'gone' } : { kind: 'unclear' };
  }
}
