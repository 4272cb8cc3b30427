import { join } from 'node:path';
import * as vscode from 'vscode';
import { plainLine } from '../../core/presenter/plainText';
import type { Surface } from '../surface';
import { type HostedWorker, pickWorker } from './pickWorker';
import type { Command, CommandOutcome } from './registerCommand';

async function chooseFile({ worker }: HostedWorker): Promise<string | undefined> {
  const [first, ...others] = worker.outputs;
  if (first === undefined || others.length === 0) {
    return first;
  }
  const items = worker.outputs.map((name) => ({ label: `$(file) ${plainLine(name)}`, name }));
  return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which output?') }))?.name;
}

async function withOutput(
  surface: Surface,
  argument: unknown,
  use: (file: vscode.Uri) => Promise<void>,
): Promise<CommandOutcome> {
  const node = typeof argument === 'string' ? surface.workers.nodeOf(argument) : undefined;
  if (node?.kind === 'output' && node.file !== null) {
    await use(vscode.Uri.file(node.file));
    return undefined;
  }
  const placeHolder = vscode.l10n.t('Whose output?');
  const picked = await pickWorker(surface, argument, { placeHolder, suits: (worker) => worker.outputs.length > 0 });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  const name = await chooseFile(picked);
  if (name !== undefined) {
    await use(vscode.Uri.file(join(picked.worker.folder, 'output', name)));
  }
  return undefined;
}

/** Opens a file that a worker produced. */
export const openOutput: Command = async (surface, argument) =>
  withOutput(surface, argument, async (file) => {
    await vscode.commands.executeCommand('vscode.open', file);
  });

/** Shows a file that a worker produced where it lies in the explorer. */
export const revealOutput: Command = async (surface, argument) =>
  withOutput(surface, argument, async (file) => {
    await vscode.commands.executeCommand('revealInExplorer', file);
  });
