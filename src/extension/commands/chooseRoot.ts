import * as vscode from 'vscode';
import type { HostApi } from '../../core/host/api';
import { folderName } from '../../core/presenter/toTree';
import type { Surface } from '../surface';

/** The window's only root, or the one that the person picks. */
export async function chooseRoot({ fleet }: Surface, placeHolder: string): Promise<HostApi | undefined> {
  const { hosts } = fleet;
  if (hosts.length <= 1) {
    return hosts[0];
  }
  const items = hosts.map((host) => ({ label: folderName(host.root), description: host.root, host }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.host;
}
