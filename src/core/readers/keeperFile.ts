import { sep } from 'node:path';
import { endedUnseen } from '../protocol/endedUnseen';
import type { KeeperRecord } from '../protocol/keeper/keeperRecord';
import { readKeeperRecord } from '../protocol/keeper/readKeeperRecord';
import type { KeeperFacts } from '../protocol/workerFacts';
import { readBounded } from '../system/boundedRead';
import { livenessOf } from '../system/processIdentity';

const KEEPER_MAX_BYTES = 256 * 1024;

/** Stands for the key of a file that is not there. */
export const ABSENT = 'absent';

/** What a look at a keeper.json found. */
export interface KeeperReading {
  readonly facts: KeeperFacts | null;
  /** Tells one state of the file from the next. */
  readonly key: string;
  /** Why the file cannot be used, or null. */
  readonly problem: string | null;
}

/** Where there is no keeper.json. */
export const noKeeper: KeeperReading = { facts: null, key: ABSENT, problem: null };

/**
 * The keeper.json in a folder, with what the machine says about the two processes that it names. A keeper may record the
 * exit and leave between the reading of its record and the look at its process.
 */
export async function readKeeper(folder: string): Promise<KeeperReading> {
  const first = await readKeeperOnce(folder);
  // The record of a sandboxed worker is written inside its file, so it may have been read half-way.
  const again = first.facts === null ? first.problem !== null : endedUnseen(first.facts);
  return again ? await readKeeperOnce(folder) : first;
}

async function readKeeperOnce(folder: string): Promise<KeeperReading> {
  const file = await readBounded(`${folder}${sep}keeper.json`, KEEPER_MAX_BYTES);
  if (file.kind === 'absent') {
    return noKeeper;
  }
  const record = file.kind === 'ok' ? readKeeperRecord(file.text) : null;
  if (file.kind !== 'ok' || record === null) {
    return { facts: null, key: ABSENT, problem: 'keeper.json cannot be read, so its process is not known' };
  }
  const facts = { ...(await livenessOfRecord(record)), record, mtimeMs: file.mtimeMs };
  return { facts, key: keyOf(file), problem: null };
}

/** A process whose exit is on record needs no look at the machine: its pid may belong to somebody else by now. */
export async function livenessOfRecord(record: KeeperRecord): Promise<Pick<KeeperFacts, 'keeper' | 'process'>> {
  if (hasEnded(record)) {
    return { keeper: 'dead', process: 'dead' };
  }
  const [keeper, process] = await Promise.all([
    livenessOf(record.keeper),
    record.process === null ? ('dead' as const) : livenessOf(record.process),
  ]);
  return { keeper, process };
}

/** Whether its worker's exit is on record. */
export function hasEnded({ attempts }: KeeperRecord): boolean {
  return (attempts.at(-1)?.exit ?? null) !== null;
}

/** Tells one state of a file from the next. */
export function keyOf({
  ino,
  mtimeMs,
  size,
}: {
  readonly ino: number;
  readonly mtimeMs: number;
  readonly size: number;
}): string {
  return `${String(ino)}:${String(mtimeMs)}:${String(size)}`;
}
