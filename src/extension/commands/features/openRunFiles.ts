import { basename } from 'node:path';
import * as vscode from 'vscode';
import { plainLine } from '../../../core/presenter/plainText';
import type { Command } from '../registerCommand';
import { placeOf } from './pickRun';

const GRAPH = 'task-graph.json';

async function chooseSpec(specs: readonly string[]): Promise<string | undefined> {
  if (specs.length < 2) {
    return specs[0];
  }
  const items = specs.map((file) => ({ label: `$(file) ${plainLine(basename(file))}`, file }));
  return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which specification?') }))?.file;
}

/** Opens a file, at the first place where the text stands. */
async function openAt(file: string, text: string | null): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const offset = text === null ? -1 : document.getText().indexOf(text);
  const place = document.positionAt(Math.max(0, offset));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
}

/** Opens what a feature was designed with: for a task the graph where it stands, else what the person chooses. */
export const openSpec: Command = async (surface, argument) => {
  const found = placeOf(surface, argument);
  const feature = found?.place.feature ?? null;
  if (found === undefined || feature === null) {
    return undefined;
  }
  const { task } = found.place;
  const { specs } = await found.host.runFiles({ feature, task });
  const graph = task === null ? undefined : specs.find((file) => basename(file) === GRAPH);
  const file = graph ?? (await chooseSpec(specs));
  if (specs.length === 0) {
    return { code: 'not-found', message: vscode.l10n.t('{0} has no specification. Look in .gsd/specs.', feature) };
  }
  if (file !== undefined) {
    await openAt(file, task === null ? null : JSON.stringify(task));
  }
  return undefined;
};

/** Shows the folder with a task's logs in the explorer. */
export const openTaskLogs: Command = async (surface, argument) => {
  const found = placeOf(surface, argument);
  const { feature = null, task = null } = found?.place ?? {};
  if (found === undefined || feature === null || task === null) {
    return undefined;
  }
  const { taskLogs } = await found.host.runFiles({ feature, task });
  if (taskLogs === null) {
    return {
      code: 'not-found',
      message: vscode.l10n.t('{0} has no logs yet. Look again once it was worked on.', task),
    };
  }
  await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(taskLogs));
  return undefined;
};
