import { join } from 'node:path';
import * as vscode from 'vscode';
import { plainLine } from '../../core/presenter/plainText';
import { violationsOf } from '../../core/presenter/workerRow';
import type { ProtectedChange, Violation } from '../../core/protocol/keeper/isolationRecord';
import { committedVersion } from '../committedVersion';
import { type HostedWorker, pickWorker } from './pickWorker';
import type { Command, CommandOutcome } from './registerCommand';

function changeWord(change: ProtectedChange): string {
  switch (change) {
    case 'added':
      return vscode.l10n.t('added');
    case 'changed':
      return vscode.l10n.t('changed');
    case 'removed':
      return vscode.l10n.t('removed');
  }
}

async function chooseViolation({ worker }: HostedWorker): Promise<Violation | undefined> {
  const violations = violationsOf(worker);
  if (violations.length <= 1) {
    return violations[0];
  }
  const items = violations.map((violation) => ({
    label: plainLine(violation.path),
    description: changeWord(violation.change),
    violation,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which file?') }))?.violation;
}

/** The change against the last commit where there is one, else what is there now. */
async function show(root: string, { path, change }: Violation): Promise<CommandOutcome> {
  const file = vscode.Uri.file(join(root, path));
  const before = await committedVersion(file);
  if (change === 'removed') {
    if (before === null) {
      const message = vscode.l10n.t('{0} is gone, and git has no earlier version of it.', plainLine(path));
      return { code: 'not-found', message };
    }
    await vscode.commands.executeCommand('vscode.open', before);
  } else if (before === null) {
    await vscode.commands.executeCommand('vscode.open', file);
  } else {
    await vscode.commands.executeCommand(
      'vscode.diff',
      before,
      file,
      vscode.l10n.t('{0} (since the last commit)', path),
    );
  }
  return undefined;
}

/** Shows a protected file that changed while a worker ran. */
export const reviewChanges: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Whose changes?');
  const suits = (worker: HostedWorker['worker']): boolean => violationsOf(worker).length > 0;
  const picked = await pickWorker(surface, argument, { placeHolder, suits });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  if (!suits(picked.worker)) {
    const message = vscode.l10n.t('No protected file changed while {0} ran.', picked.worker.workerId);
    return { code: 'wrong-state', message };
  }
  const violation = await chooseViolation(picked);
  return violation === undefined ? undefined : await show(picked.host.root, violation);
};
