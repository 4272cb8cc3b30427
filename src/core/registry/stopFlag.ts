import { fail, ok, type Result } from '../base/result';
import { createExclusive } from '../system/atomicFile';
import { refusalOf, type RegistryRefusal } from './registryRefusal';

/**
 * Makes the empty `stop-requested` flag, exclusively: of several callers exactly one gets `raised`, the others
 * `already`. The flag is never removed (workers.md §4.5).
 */
export async function raiseStopFlag(stopFlag: string): Promise<Result<'raised' | 'already', RegistryRefusal>> {
  try {
    return ok((await createExclusive(stopFlag, '')) ? 'raised' : 'already');
  } catch (error) {
    return fail(refusalOf(error, 'leave the stop request', stopFlag));
  }
}
