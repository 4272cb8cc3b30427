import { delimiter } from 'node:path';
import * as vscode from 'vscode';
import { readSettings } from './settings';

/** Puts `rollcall` on the PATH of this window's terminals, so that agents in them can call it too (surfaces.md, "CLI"). */
export function offerTerminalCommand(context: vscode.ExtensionContext): void {
  const variables = context.environmentVariableCollection;
  const always = { applyAtProcessCreation: true, applyAtShellIntegration: true };
  variables.description = vscode.l10n.t('Puts the command rollcall on the PATH.');
  variables.prepend('PATH', `${context.asAbsolutePath('media/terminal')}${delimiter}`, always);
  variables.replace('ROLLCALL_NODE', readSettings().nodePath ?? process.execPath, always);
}
