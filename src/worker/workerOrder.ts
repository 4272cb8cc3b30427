import { parseArgs } from 'node:util';
import { errorText } from '../core/base/errorText';
import { fail, ok, type Result } from '../core/base/result';

/** What the builtin engine asks this process to do. Paths are absolute. */
export interface WorkerOrder {
  readonly type: string;
  readonly workerId: string;
  readonly root: string;
  readonly folder: string;
  /** `ROLLCALL_PACE_MS`: a pause before each item, to follow by eye or to be gentle on a disk. */
  readonly paceMs: number;
}

const LONGEST_PACE_MS = 60_000;

/** Reads the order from the command line and environment. The error is one sentence for the log. */
export function readOrder(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Result<WorkerOrder, string> {
  try {
    const option = { type: 'string' } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { type: option, id: option, root: option, folder: option },
    });
    const { type, id, root, folder } = values;
    if (type === undefined || id === undefined || root === undefined || folder === undefined) {
      return fail('Usage: worker.js --type TYPE --id WORKER_ID --root PROJECT --folder WORKER_FOLDER');
    }
    return ok({ type, workerId: id, root, folder, paceMs: paceOf(env['ROLLCALL_PACE_MS']) });
  } catch (error) {
    return fail(errorText(error));
  }
}

/** A pace that is no whole number of milliseconds is none: a typing error must not stop a check. */
function paceOf(text: string | undefined): number {
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), LONGEST_PACE_MS) : 0;
}
