import * as vscode from 'vscode';
import type { Fleet, Workplace } from './fleet';

function workplace(): Workplace {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  return { folders: folders.map((folder) => folder.uri.fsPath), trusted: vscode.workspace.isTrusted };
}

/** Shows the window's folders now and after each change of folders or trust, until disposed. */
export async function followWorkspace(fleet: Fleet): Promise<vscode.Disposable> {
  const show = (): void => {
    void fleet.show(workplace());
  };
  const subscriptions = vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(show),
    vscode.workspace.onDidGrantWorkspaceTrust(show),
  );
  await fleet.show(workplace());
  return subscriptions;
}
