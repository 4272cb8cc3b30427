import type { FeatureDraft } from './featureDraft';
import type { WorkerCommit } from './featureSnapshot';
import { ageSeconds, localInstant, type WriterClock } from './instant';
import type { BranchCommit } from './branchLog';

const SECOND_MS = 1000;

/** The branch that the project's repository has for a worker, by its name; null where it has none. */
export function branchInGit({ branches }: FeatureDraft, key: string): string | null {
  return branches.find(({ worker }) => worker === key)?.name ?? null;
}

/**
 * The newest commit of a worker in this run. A subject `ZERG [N]: …` tells whose it is, on whichever branch of the
 * feature it lies; without one the branch does. What is older than the run is an earlier one's and left out. A commit
 * says what was done and never that somebody lives (features.md §2).
 */
export function lastCommitOf(draft: FeatureDraft, key: string, clock: WriterClock): WorkerCommit | null {
  const begun = localInstant(draft.startedAt, clock);
  const own = draft.branches.flatMap(({ worker, commits }) => commits.filter((one) => (one.worker ?? worker) === key));
  const ofRun = own.filter(({ at }) => begun === null || at >= wholeSecond(begun));
  const [first, ...others] = ofRun;
  return first === undefined ? null : told(others.reduce(newer, first), clock.now);
}

/** Git's times have no fraction. */
function wholeSecond(at: number): number {
  return Math.floor(at / SECOND_MS) * SECOND_MS;
}

function newer(one: BranchCommit, other: BranchCommit): BranchCommit {
  return other.at > one.at ? other : one;
}

function told({ hash, subject, at }: BranchCommit, now: number): WorkerCommit {
  return { hash, subject, at, ageSeconds: ageSeconds(at, now) };
}
