import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A message as its sender noted it before it sent it. */
export interface Tried {
  readonly k: number;
  readonly to: string;
}

/** A message as its recipient noted it when it began to handle it. */
export interface Got {
  readonly from: string;
  readonly k: number;
  /** 0 on the wire of existing agents, which knows no numbers. */
  readonly seq: number;
  readonly redelivered: boolean;
  /** Which of the agent's processes, from 1. */
  readonly run: number;
}

/** What an agent noted of its life (test/fixtures/agents/book.mjs), in its order. */
export interface AgentBook {
  readonly runs: number;
  /** Processes of this agent that still lived when another one of it began. */
  readonly doubles: number;
  readonly tried: readonly Tried[];
  readonly safe: ReadonlySet<number>;
  readonly got: readonly Got[];
}

/** Reads the notes of an agent; empty before its first process. */
export function readBook(folder: string, agent: string): AgentBook {
  const path = join(folder, agent);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  let [runs, doubles] = [0, 0];
  const tried: Tried[] = [];
  const safe = new Set<number>();
  const got: Got[] = [];
  for (const [word, first = '', second = '', seq, again] of lines.map((line) => line.split(' '))) {
    if (word === 'run') {
      runs += 1;
    } else if (word === 'double') {
      doubles += 1;
    } else if (word === 'try') {
      tried.push({ k: Number(first), to: second });
    } else if (word === 'safe') {
      safe.add(Number(first));
    } else if (word === 'got') {
      got.push({ from: first, k: Number(second), seq: Number(seq), redelivered: again === '1', run: runs });
    }
  }
  return { runs, doubles, tried, safe, got };
}
