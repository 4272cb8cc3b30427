import type { WorkerSnapshot } from '../protocol/snapshot';
import { lastLines } from '../readers/lastLines';

/** Lines of the log that tell most about an end (lifecycle §4). */
export const LAST_LINES = 50;

/** What is known about how a worker came to be as it is. */
export interface WhyReport {
  readonly worker: WorkerSnapshot;
  /** The end of its readable log, oldest first. */
  readonly lastLines: readonly string[];
}

/** Gathers the report of one worker; reads only. */
export async function whyWorker(worker: WorkerSnapshot): Promise<WhyReport> {
  return { worker, lastLines: await lastLines(worker.logFile, LAST_LINES) };
}
