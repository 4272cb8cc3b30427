import * as vscode from 'vscode';
import { pickWorker } from '../pickWorker';
import type { Command } from '../registerCommand';

/** Lets a parked worker go on now, without waiting for the end of its rate limit. */
export const wakeWorker: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Which worker shall go on now?');
  const picked = await pickWorker(surface, argument, { placeHolder, suits: ({ state }) => state === 'parked' });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  const outcome = await picked.host.wake(picked.worker.workerId);
  if (!outcome.ok) {
    return outcome.error;
  }
  surface.log.info(outcome.value.message);
  return undefined;
};
