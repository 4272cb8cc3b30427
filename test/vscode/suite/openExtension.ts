import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import type { RollcallApi } from '../../../src/extension/surface';

/** What the manifest says, as far as the suite asks. */
export interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly views: { readonly rollcall: readonly { readonly id: string }[] };
  };
}

function extension(): vscode.Extension<RollcallApi> {
  const found = vscode.extensions.getExtension<RollcallApi>('rollcall.rollcall');
  if (found === undefined) {
    throw new Error('VS Code does not know the extension');
  }
  return found;
}

/** The extension's manifest as VS Code loaded it. */
export function manifest(): Manifest {
  return extension().packageJSON as Manifest;
}

/** Activates the extension, if that has not happened yet, and gives what it shows. */
export async function openExtension(): Promise<RollcallApi> {
  const rollcall = await extension().activate();
  await rollcall.fleet.opened();
  return rollcall;
}

/** The folder that the window shows. */
export function projectFolder(): string {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) {
    throw new Error('the suite needs a folder');
  }
  return folder.uri.fsPath;
}

/** The text of a file in the protocol's workers folder. */
export async function workerFile(...path: readonly string[]): Promise<string> {
  return await readFile(join(projectFolder(), '.keysarium', 'workers', ...path), 'utf8');
}

/** Every node of a tree, from top to bottom. */
export function allNodes(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}
