import type { ProcessIdentity, WorkerProcess } from '../protocol/keeper/processIdentity';
import { machineProbe } from './machineProbe';
import { livenessOf } from './processIdentity';
import type { ProcessProbe, ProcessRow } from './processProbe';
import { runTool } from './runTool';

type TreeSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** A tree with more members is too costly to be gone through between its stops, which go through everyone. */
const MOST_REMEMBERED = 256;

/** What is known about a tree before a look at it. */
export interface TreeClues {
  readonly leader: WorkerProcess;
  /** `NAME=value` that every process of the tree inherited, unless it cleaned its environment. */
  readonly marker: string;
  /** Members that earlier looks found. */
  readonly known: readonly ProcessIdentity[];
  /** False once the group was seen empty: from then on its number may belong to strangers. */
  readonly groupIsOurs: boolean;
}

/**
 * One worker's tree of processes over time. It covers children that changed their group or session, that outlived
 * their shell, or that cleaned their environment, and never a process that only got a recycled number.
 */
export class ProcessTree {
  readonly #leader: WorkerProcess;
  readonly #marker: string;
  readonly #inside: string | null;
  #known: readonly ProcessIdentity[] = [];
  #groupIsOurs = true;

  /** `inside` marks the processes of a sandboxed worker itself, apart from those of the sandbox around it. */
  constructor(leader: WorkerProcess, marker: string, inside: string | null = null) {
    this.#leader = leader;
    this.#marker = marker;
    this.#inside = inside;
  }

  /** Everyone who is alive now, the leader included. */
  async collect(): Promise<readonly ProcessIdentity[]> {
    await this.#look();
    return this.#known;
  }

  /**
   * Notes who has come since the last look, for a few reads per member. So it is still known later that a process
   * belongs here which has left its group, its environment and its parent; it must only have been seen before.
   */
  async remember(): Promise<void> {
    const before = this.#known;
    const alive = new Map<number, ProcessIdentity>();
    const waiting: ProcessIdentity[] = [this.#leader, ...before];
    for (let next = waiting.shift(); next !== undefined && alive.size < MOST_REMEMBERED; next = waiting.shift()) {
      if (!alive.has(next.pid) && (await livenessOf(next)) === 'alive') {
        alive.set(next.pid, next);
        waiting.push(...(await childrenOf(next.pid)));
      }
    }
    // Where everyone was looked at meanwhile, or not everyone could be here, that look knows better.
    if (this.#known === before && waiting.length === 0) {
      this.#known = [...alive.values()];
    }
  }

  /**
   * Collects, sends the signal, and gives how many were alive before it. SIGKILL goes to every member. So does SIGTERM,
   * but for a sandboxed worker: it goes to the worker's own processes, the innermost first, because a sandbox that
   * gets it ends the worker without the worker ever having seen it.
   */
  async signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    const members = await this.#look();
    const inside =
      signal === 'SIGTERM' && this.#inside !== null ? insideFirst(members, this.#inside, machineProbe) : [];
    await signalTree(inside.length > 0 ? inside : members, signal);
    return members.length;
  }

  /**
   * Asks a program to end in its own way: by a signal to everyone, or to its main process alone, which in a sandbox is
   * the outermost of the worker's own.
   */
  async interrupt(signal: 'SIGINT' | 'SIGTERM', everyone: boolean): Promise<void> {
    const members = await this.#look();
    const inside = this.#inside === null ? [] : insideFirst(members, this.#inside, machineProbe);
    const addressed = inside.length > 0 ? inside : members;
    const main = inside.at(-1) ?? members.find(({ pid }) => pid === this.#leader.pid);
    await signalTree(everyone || main === undefined ? addressed : [main], signal);
  }

  async #look(): Promise<readonly ProcessRow[]> {
    const rows = await machineProbe.list();
    const clues = {
      leader: this.#leader,
      marker: this.#marker,
      known: this.#known,
      groupIsOurs: this.#groupIsOurs,
    };
    const members = treeMembers(rows, clues, machineProbe);
    this.#groupIsOurs &&= members.some((row) => row.pgid === this.#leader.pgid);
    this.#known = members.map(({ pid, startTime }) => ({ pid, startTime }));
    return members;
  }
}

/** The living children of a process. A number that went to a stranger meanwhile has another parent. */
async function childrenOf(pid: number): Promise<readonly ProcessIdentity[]> {
  const looks = await Promise.all(machineProbe.childrenOf(pid).map(async (child) => machineProbe.look(child)));
  return looks.flatMap((look) =>
    look.kind === 'running' && look.row.ppid === pid ? [{ pid: look.row.pid, startTime: look.row.startTime }] : [],
  );
}

/** Those of the tree that carry the marker, and all below them, the innermost first. */
export function insideFirst(
  members: readonly ProcessRow[],
  marker: string,
  probe: Pick<ProcessProbe, 'hasEnvMarker'>,
): readonly ProcessRow[] {
  const marked = members.filter((row) => probe.hasEnvMarker(row.pid, marker));
  const inside = withDescendants(members, marked);
  const byPid = new Map(inside.map((row) => [row.pid, row]));
  const depthOf = (row: ProcessRow): number => {
    let depth = 0;
    // Bounded: rows that were read one after another can make a circle of recycled numbers.
    for (let at = byPid.get(row.ppid); at !== undefined && depth < inside.length; at = byPid.get(at.ppid)) {
      depth += 1;
    }
    return depth;
  };
  return [...inside].sort((a, b) => depthOf(b) - depthOf(a));
}

/** The rows that belong to the tree. Pure, apart from reading environments through the probe. */
export function treeMembers(
  rows: readonly ProcessRow[],
  clues: TreeClues,
  probe: Pick<ProcessProbe, 'hasEnvMarker'>,
): readonly ProcessRow[] {
  const groupIsOurs = clues.groupIsOurs && !hasImpostor(rows, clues.leader);
  const known = new Set([clues.leader, ...clues.known].map(identityKey));
  const isSeed = (row: ProcessRow): boolean =>
    known.has(identityKey(row)) ||
    (groupIsOurs && row.pgid > 1 && row.pgid === clues.leader.pgid) ||
    probe.hasEnvMarker(row.pid, clues.marker);
  const seeds = rows.filter((row) => row.pid !== process.pid && isSeed(row));
  return withDescendants(rows, seeds).filter((row) => row.pid !== process.pid);
}

/**
 * Signals each process, the identity of each checked just before. Never the caller. Processes that are gone meanwhile
 * are skipped. On Windows every signal is `taskkill`, forced for SIGKILL.
 */
async function signalTree(members: readonly ProcessIdentity[], signal: TreeSignal): Promise<void> {
  for (const member of members) {
    const look = await machineProbe.look(member.pid);
    if (look.kind === 'running' && look.row.startTime === member.startTime && member.pid !== process.pid) {
      await signalOne(member.pid, signal);
    }
  }
}

/** A stranger who got the leader's number: then a group of that number is the stranger's as well. */
function hasImpostor(rows: readonly ProcessRow[], leader: WorkerProcess): boolean {
  return rows.some((row) => row.pid === leader.pgid && row.startTime !== leader.startTime);
}

function withDescendants(rows: readonly ProcessRow[], seeds: readonly ProcessRow[]): readonly ProcessRow[] {
  const members = new Map(seeds.map((row) => [row.pid, row]));
  let size = -1;
  while (size !== members.size) {
    size = members.size;
    for (const row of rows) {
      if (members.has(row.ppid)) {
        members.set(row.pid, row);
      }
    }
  }
  return [...members.values()];
}

function identityKey(identity: ProcessIdentity): string {
  return `${identity.pid} ${identity.startTime}`;
}

async function signalOne(pid: number, signal: TreeSignal): Promise<void> {
  try {
    if (process.platform === 'win32') {
      await runTool('taskkill', ['/PID', String(pid), '/T', ...(signal === 'SIGKILL' ? ['/F'] : [])]);
    } else {
      process.kill(pid, signal);
    }
  } catch {
    // Gone meanwhile, or not ours to signal: the next look at the tree tells which.
  }
}
