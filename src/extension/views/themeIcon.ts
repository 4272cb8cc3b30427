import * as vscode from 'vscode';
import type { Icon } from '../../core/presenter/workerIcon';

/** A presenter's icon as VS Code's. */
export function themeIcon({ name, color }: Icon): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, color === null ? undefined : new vscode.ThemeColor(color));
}
