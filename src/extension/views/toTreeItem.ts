import * as vscode from 'vscode';
import type { TreeNode } from '../../core/presenter/treeNode';
import { themeIcon } from './themeIcon';

const FOLDING: Readonly<Record<TreeNode['expand'], vscode.TreeItemCollapsibleState>> = {
  leaf: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
};

/** A click answers what can be answered, and shows the log of whoever is at its end. */
function inboxCommand({ id, contextValue }: TreeNode): vscode.Command {
  return contextValue.endsWith('.answer')
    ? { command: 'rollcall.answerItem', title: vscode.l10n.t('Answer'), arguments: [id] }
    : { command: 'rollcall.showLog', title: vscode.l10n.t('Show Log'), arguments: [id] };
}

function commandOf(node: TreeNode): vscode.Command | undefined {
  switch (node.kind) {
    case 'log':
    case 'need':
    case 'runNeed':
      return { command: 'rollcall.showLog', title: vscode.l10n.t('Show Log'), arguments: [node.id] };
    case 'output':
      return { command: 'rollcall.openOutput', title: vscode.l10n.t('Open Output'), arguments: [node.id] };
    case 'inbox':
      return inboxCommand(node);
    case 'ask':
      return { command: 'rollcall.answerRequest', title: vscode.l10n.t('Answer'), arguments: [node.id] };
    case 'message':
      return { command: 'rollcall.showMessages', title: vscode.l10n.t('Show Messages'), arguments: [node.id] };
    case 'folder':
    case 'group':
    case 'problem':
    case 'fuse':
    case 'worker':
    case 'agent':
    case 'messages':
    case 'feature':
    case 'level':
    case 'runWorker':
    case 'task':
    case 'queued':
    case 'outputs':
    case 'evidence':
    case 'fact':
    case 'type':
      return undefined;
  }
}

/** A presenter's node as VS Code draws it. The tooltip comes later, when the row is hovered. */
export function toTreeItem(node: TreeNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, FOLDING[node.expand]);
  item.id = node.id;
  item.description = node.description;
  item.contextValue = node.contextValue;
  item.accessibilityInformation = { label: node.accessibleLabel };
  if (node.icon !== null) {
    item.iconPath = themeIcon(node.icon);
  }
  const command = commandOf(node);
  if (command !== undefined) {
    item.command = command;
  }
  if (node.kind === 'output' && node.file !== null) {
    item.iconPath = vscode.ThemeIcon.File;
    item.resourceUri = vscode.Uri.file(node.file);
  }
  return item;
}
