import * as vscode from 'vscode';
import type { WorkerSnapshot } from '../../core/protocol/snapshot';
import { pickWorker } from './pickWorker';
import type { Command } from './registerCommand';

function isBlown({ attention, endedAt }: WorkerSnapshot): boolean {
  return attention?.kind === 'fuse' && endedAt !== null;
}

/** Takes a blown fuse off the list of what needs the person; then its worker may be retried. */
export const resetFuse: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t("Which worker's fuse shall be reset?");
  const picked = await pickWorker(surface, argument, { placeHolder, suits: isBlown });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  const outcome = await picked.host.resetFuse(picked.worker.workerId);
  if (!outcome.ok) {
    return outcome.error;
  }
  surface.log.info(outcome.value.message);
  return undefined;
};
