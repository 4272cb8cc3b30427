import * as vscode from 'vscode';
import { canOpenSession } from '../../../core/presenter/workerRow';
import { pickWorker } from '../pickWorker';
import type { Command } from '../registerCommand';

/** Opens the session of an ended or parked worker in its engine's own terminal UI. */
export const openSession: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t("Which worker's session shall be opened?");
  const picked = await pickWorker(surface, argument, { placeHolder, suits: canOpenSession });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  const outcome = await picked.host.openCommand(picked.worker.workerId);
  if (!outcome.ok) {
    return outcome.error;
  }
  const [shellPath = '', ...shellArgs] = outcome.value.command;
  const terminal = vscode.window.createTerminal({
    name: picked.worker.entry.type,
    shellPath,
    shellArgs,
    cwd: outcome.value.cwd,
    iconPath: new vscode.ThemeIcon('robot'),
  });
  terminal.show();
  return undefined;
};
