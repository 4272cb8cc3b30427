import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Garbage, HostApi } from '../../core/host/api';
import { formatDuration } from '../../core/presenter/formatDuration';
import type { Surface } from '../surface';
import { chooseRoot } from './chooseRoot';
import type { Command, CommandOutcome } from './registerCommand';

type Row = vscode.QuickPickItem & { readonly folder?: vscode.Uri };

function rowOf(host: HostApi, { workerId, changedAt }: Garbage): Row {
  const description = vscode.l10n.t('{0} old', formatDuration(Date.now() - changedAt));
  const folder = vscode.Uri.file(join(host.root, '.keysarium', 'workers', workerId));
  return { label: workerId, description, folder };
}

/** True when the person wants them moved; a folder that is picked instead is shown where it lies. */
async function confirm(host: HostApi, folders: readonly Garbage[]): Promise<boolean> {
  const move: Row = { label: `$(trash) ${vscode.l10n.t('Move all of them into the trash ({0})', folders.length)}` };
  const separator: Row = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const placeHolder = vscode.l10n.t('These workers ended more than a day ago. Nothing is deleted.');
  const choice = await vscode.window.showQuickPick([move, separator, ...folders.map((folder) => rowOf(host, folder))], {
    placeHolder,
  });
  if (choice?.folder !== undefined) {
    await vscode.commands.executeCommand('revealInExplorer', choice.folder);
  }
  return choice === move;
}

async function apply(host: HostApi): Promise<CommandOutcome> {
  const moved = await host.collectGarbage({ dryRun: false });
  if (!moved.ok) {
    return moved.error;
  }
  const undo = vscode.l10n.t('Undo');
  const text = vscode.l10n.t('Worker folders moved into the trash: {0}.', moved.value.folders.length);
  // Not waited for: the command is done, and the message may stand for long.
  void vscode.window
    .showInformationMessage(text, undo)
    .then((choice) =>
      choice === undo ? vscode.commands.executeCommand('rollcall.restoreGarbage', host.root) : undefined,
    );
  return undefined;
}

/** Shows which folders of ended workers can go, and moves them into the trash when the person says so. */
export const collectGarbage: Command = async (surface) => {
  const host = await chooseRoot(surface, vscode.l10n.t('Whose old worker folders?'));
  const found = await host?.collectGarbage({ dryRun: true });
  if (host === undefined || found === undefined) {
    return undefined;
  }
  if (!found.ok) {
    return found.error;
  }
  const { folders } = found.value;
  if (folders.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No worker folder is old enough to go.'));
    return undefined;
  }
  return (await confirm(host, folders)) ? await apply(host) : undefined;
};

async function rootOf(surface: Surface, argument: unknown): Promise<HostApi | undefined> {
  return typeof argument === 'string'
    ? surface.fleet.hostOf(argument)
    : await chooseRoot(surface, vscode.l10n.t('Whose old worker folders?'));
}

/** Puts back what the last clean-up moved into the trash. */
export const restoreGarbage: Command = async (surface, argument) => {
  const restored = await (await rootOf(surface, argument))?.restoreGarbage();
  if (restored === undefined) {
    return undefined;
  }
  if (!restored.ok) {
    return restored.error;
  }
  const count = restored.value.folders.length;
  const text =
    count === 0
      ? vscode.l10n.t('There is nothing to put back.')
      : vscode.l10n.t('Worker folders put back: {0}.', count);
  void vscode.window.showInformationMessage(text);
  return undefined;
};
