import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallFolder } from '../../mailbox/callFolder';
import type { WorkerFacts } from '../../protocol/workerFacts';
import { formatTimestamp, parseTimestamp } from '../../protocol/workers/timestamp';
import { readKeeper } from '../../readers/keeperFile';
import { CALL_TYPE } from './callSpec';

/** What the files and the machine say about a call, in the shape in which the supervisor knows what it keeps. */
export async function callFacts({ name, folder, logFile }: CallFolder, sentAt: string): Promise<WorkerFacts> {
  const { facts: keeper, problem } = await readKeeper(folder);
  const flag = await lstat(join(folder, 'stop-requested')).catch(() => null);
  return {
    entry: {
      worker_id: name,
      type: CALL_TYPE,
      status: 'running',
      model: 'none',
      started_at: formatTimestamp(parseTimestamp(sentAt) ?? 0),
      completed_at: null,
      output_dir: '',
      retry_count: 0,
      extra: {},
    },
    folder,
    logFile,
    folderExists: keeper !== null || problem !== null,
    // It speaks by its exit and its log alone.
    status: { kind: 'absent' },
    stopFlagAt: flag?.mtimeMs ?? null,
    keeper,
    keeperProblem: problem,
    newestMtimeMs: keeper?.mtimeMs ?? null,
    outputs: [],
    rowProblem: null,
  };
}
