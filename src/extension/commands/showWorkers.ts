import * as vscode from 'vscode';
import type { Surface } from '../surface';
import { logOfWorker } from '../workerLogs';
import { type WorkerItem, workerItems } from './pickWorker';
import type { Command } from './registerCommand';

interface ActionItem extends vscode.QuickPickItem {
  readonly command: string;
}

function actions(surface: Surface): readonly ActionItem[] {
  const start = { label: `$(play) ${vscode.l10n.t('Start worker…')}`, command: 'rollcall.startWorker' };
  return [
    ...(surface.fleet.trusted ? [start] : []),
    { label: `$(table) ${vscode.l10n.t('Status')}`, command: 'rollcall.showStatus' },
    { label: `$(list-tree) ${vscode.l10n.t('Show Workers')}`, command: 'workbench.view.extension.rollcall' },
  ];
}

/** What the status bar opens: every worker, whose log shows when picked, and the next steps. */
export const showWorkers: Command = async (surface) => {
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const workers = workerItems(surface, () => true);
  const items: readonly (WorkerItem | ActionItem | vscode.QuickPickItem)[] = [
    ...workers,
    separator,
    ...actions(surface),
  ];
  const choice = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Workers'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (choice !== undefined && 'hosted' in choice) {
    surface.logs.show(choice.hosted.host, logOfWorker(choice.hosted.worker));
  } else if (choice !== undefined && 'command' in choice) {
    await vscode.commands.executeCommand(choice.command);
  }
  return undefined;
};
