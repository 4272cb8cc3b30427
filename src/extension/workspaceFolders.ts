import * as vscode from 'vscode';
import type { Fleet, Workplace } from './fleet';

function workplace(): Workplace {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  return { folders: folders.map((folder) => folder.uri.fsPath), trusted: vscode.workspace.isTrusted };
}

/** Begins to show the window's folders, and shows them after each change of folders or trust, until disposed. */
export function followWorkspace(fleet: Fleet): vscode.Disposable {
  const show = (): void => {
    void fleet.show(workplace());
  };
  show();
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(show),
    vscode.workspace.onDidGrantWorkspaceTrust(show),
  );
}
