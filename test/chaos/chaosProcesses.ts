import { readdirSync, readFileSync } from 'node:fs';

const WORKER_VARIABLE = 'ROLLCALL_WORKER_ID=';

/** A process that carries the round's mark in its environment. */
export interface MarkedProcess {
  readonly pid: number;
  readonly startTicks: string;
  readonly command: string;
  /** The worker whose tree it belongs to; null for keepers, windows and terminals. */
  readonly workerId: string | null;
}

/** All living processes with `NAME=value` in their environment; zombies are none. */
export function markedProcesses(mark: string): readonly MarkedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => markedProcess(Number(name), mark))
    .filter((found) => found !== null);
}

function markedProcess(pid: number, mark: string): MarkedProcess | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    if (!environment.includes(mark)) {
      return null;
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const worker = environment.find((entry) => entry.startsWith(WORKER_VARIABLE));
    const workerId = worker?.slice(WORKER_VARIABLE.length) ?? null;
    return fields[0] === 'Z' ? null : { pid, startTicks: fields[19] ?? '', command, workerId };
  } catch {
    // It ended while it was looked at, or belongs to somebody else.
    return null;
  }
}

/** Ends every marked process by its pid, again and again until none is left: some start others meanwhile. */
export async function endMarked(mark: string): Promise<void> {
  for (let left = markedProcesses(mark); left.length > 0; left = markedProcesses(mark)) {
    for (const { pid } of left) {
      signal(pid, 'SIGKILL');
    }
    await pause(20);
  }
}

/** Sends a signal to a process that may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself meanwhile.
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
