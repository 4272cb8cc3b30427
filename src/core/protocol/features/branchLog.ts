import { wholeLines } from './wholeLines';
import { workerKey } from './workerKey';

const SECOND_MS = 1000;
/** As git shortens it. */
const HASH_LENGTH = 7;
/** Who made it stands before the time: name and address, of which nothing is kept. */
const COMMIT_LINE =
  /^[0-9a-f]{40,64} (?<hash>[0-9a-f]{40,64}) [^\t]*> (?<seconds>\d{1,12}) [+-]\d{4}\tcommit(?: \([a-z-]+\))?: (?<subject>.+)$/s;

/** A commit as the log of a branch tells of it. */
export interface BranchCommit {
  /** 7 characters. */
  readonly hash: string;
  /** The first line of its message, verbatim. */
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The worker that a subject `ZERG [N]: …` names; null where it names none. */
  readonly worker: string | null;
}

/**
 * Git's own log of a branch (`.git/logs/refs/heads/…`): the last commit of each worker that the subjects name, and the
 * last one whose subject names none. Never throws.
 */
export function readBranchLog(text: string): readonly BranchCommit[] {
  const last = new Map<string | null, BranchCommit>();
  for (const commit of wholeLines(text).flatMap(commitOf)) {
    last.set(commit.worker, commit);
  }
  return [...last.values()];
}

function commitOf(line: string): readonly BranchCommit[] {
  const { hash, seconds, subject } = COMMIT_LINE.exec(line)?.groups ?? {};
  if (hash === undefined || subject === undefined) {
    return [];
  }
  const worker = workerKey(/^ZERG \[(\w{1,60})\]: /.exec(subject)?.[1]);
  return [{ hash: hash.slice(0, HASH_LENGTH), subject, at: Number(seconds) * SECOND_MS, worker }];
}
