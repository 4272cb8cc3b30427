import type { Clock } from '../core/base/clock';
import { errorCode, errorText } from '../core/base/errorText';
import { fail, ok, type Result } from '../core/base/result';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { Keeper } from './keeper';

/** Opens a keeper; the error is one sentence that ends in what the person can do. */
export async function openKeeper(spec: KeeperSpec, clock: Clock): Promise<Result<Keeper, string>> {
  try {
    return ok(await Keeper.open(spec, clock));
  } catch (error) {
    return fail(openText(spec.folder, error));
  }
}

function openText(folder: string, error: unknown): string {
  if (errorCode(error) === 'EADDRINUSE') {
    return `Another keeper keeps the worker in ${folder} already. Nothing was started; ask that one.`;
  }
  return `The worker's folder ${folder} cannot be used: ${errorText(error)}. Nothing was started; make it writable and try again.`;
}
