import { wholeLines } from './wholeLines';
import { workerKey } from './workerKey';

const PACKED_LINE = /^[0-9a-f]{40,64} refs\/heads\/zerg\/([^/]+)\/([^/]+)$/;

/** A branch `zerg/{feature}/worker-N` (features.md §1). */
export interface WorkerBranch {
  readonly feature: string;
  /** N, as a worker's key. */
  readonly worker: string;
  /** As git calls it. */
  readonly name: string;
}

/** The branch of a feature whose last part is `part`; null for a part that is not how the tool names a worker's. */
export function workerBranch(feature: string, part: string): WorkerBranch | null {
  const worker = workerKey(/^worker-(\w{1,60})$/.exec(part)?.[1]);
  return worker === null || part !== `worker-${worker}`
    ? null
    : { feature, worker, name: `zerg/${feature}/worker-${worker}` };
}

/** The workers' branches in git's `packed-refs`. Never throws. */
export function readPackedBranches(text: string): readonly WorkerBranch[] {
  return wholeLines(text).flatMap((line) => {
    const [, feature, part] = PACKED_LINE.exec(line) ?? [];
    return feature === undefined || part === undefined ? [] : (workerBranch(feature, part) ?? []);
  });
}
