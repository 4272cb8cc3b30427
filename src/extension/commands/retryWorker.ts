import * as vscode from 'vscode';
import { pickWorker } from './pickWorker';
import type { Command } from './registerCommand';

/** Starts a new worker in place of a failed or unknown one. */
export const retryWorker: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Which worker shall be retried?');
  const picked = await pickWorker(surface, argument, { placeHolder, suits: ({ canRetry }) => canRetry });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  const { host, worker } = picked;
  const outcome = await vscode.window.withProgress({ location: { viewId: 'rollcall.views.workers' } }, async () =>
    host.retry({ worker: worker.workerId, requestedBy: 'vscode' }),
  );
  if (!outcome.ok) {
    return outcome.error;
  }
  surface.log.info(outcome.value.message);
  return undefined;
};
