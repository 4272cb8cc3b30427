import * as vscode from 'vscode';
import { pickWorker } from './pickWorker';
import type { Command } from './registerCommand';

/** Puts a worker's id on the clipboard, or what a row of a feature run is called. */
export const copyId: Command = async (surface, argument) => {
  const node = typeof argument === 'string' ? surface.workers.nodeOf(argument) : undefined;
  if (node !== undefined && node.run !== null) {
    await vscode.env.clipboard.writeText(node.label);
    return undefined;
  }
  const placeHolder = vscode.l10n.t('Whose ID?');
  const picked = await pickWorker(surface, argument, { placeHolder, suits: () => true });
  if (picked.kind === 'found') {
    await vscode.env.clipboard.writeText(picked.worker.workerId);
  }
  return picked.kind === 'refused' ? picked.refusal : undefined;
};
