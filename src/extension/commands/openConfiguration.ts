import { join } from 'node:path';
import * as vscode from 'vscode';
import { starterConfig } from '../../core/protocol/config/starterConfig';
import { chooseRoot } from './chooseRoot';
import type { Command } from './registerCommand';

/** Opens the project's `.vscode/workers.json`; where there is none, with examples in comments that change nothing. */
export const openConfiguration: Command = async (surface) => {
  const host = await chooseRoot(surface, vscode.l10n.t('Whose configuration?'));
  if (host === undefined) {
    return undefined;
  }
  const file = vscode.Uri.file(join(host.root, '.vscode', 'workers.json'));
  const start = new vscode.WorkspaceEdit();
  start.createFile(file, { ignoreIfExists: true, contents: new TextEncoder().encode(starterConfig) });
  await vscode.workspace.applyEdit(start);
  await vscode.window.showTextDocument(file);
  return undefined;
};
