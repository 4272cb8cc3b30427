import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HostApi, Outcome } from '../../core/host/api';
import type { ShownWorktree } from '../../core/host/worktreeDesk';
import { plainLine } from '../../core/presenter/plainText';
import type { WorktreeDiff } from '../../core/protocol/worktrees/worktree';
import type { Surface } from '../surface';
import { versionOf } from '../worktreeVersions';
import { chooseRoot } from './chooseRoot';
import type { Command, CommandOutcome } from './registerCommand';

interface Chosen {
  readonly host: HostApi;
  readonly worktree: ShownWorktree;
}

function wordsOf({ commits, changes, busy, path }: ShownWorktree): string {
  const parts = [
    commits === null || changes === null ? vscode.l10n.t('git cannot say what it holds') : null,
    (commits ?? 0) > 0 ? vscode.l10n.t('commits to merge: {0}', commits ?? 0) : null,
    (changes ?? 0) > 0 ? vscode.l10n.t('files not committed: {0}', changes ?? 0) : null,
    path === null ? vscode.l10n.t('only its branch is left') : null,
    busy ? vscode.l10n.t('works now') : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? vscode.l10n.t('nothing to merge') : parts.join(', ');
}

/** The worktree that the caller names, or the one that the person picks; a refusal where there is none. */
async function choose(surface: Surface, argument: unknown, placeHolder: string): Promise<Chosen | CommandOutcome> {
  const host = await chooseRoot(surface, vscode.l10n.t('Whose worktrees?'));
  const listed = await host?.worktrees.list();
  if (host === undefined || listed === undefined) {
    return undefined;
  }
  if (!listed.ok) {
    return listed.error;
  }
  const items = listed.value.map((worktree) => ({
    label: plainLine(worktree.name),
    description: wordsOf(worktree),
    worktree,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('No agent or worker has a worktree. Give one the isolation "worktree" in .vscode/workers.json.'),
    );
    return undefined;
  }
  const named = items.find(({ worktree }) => worktree.name === argument);
  const picked = named ?? (await vscode.window.showQuickPick(items, { placeHolder }));
  return picked === undefined ? undefined : { host, worktree: picked.worktree };
}

function isChosen(choice: Chosen | CommandOutcome): choice is Chosen {
  return choice !== undefined && 'worktree' in choice;
}

/** Shows what a worktree has more than the project, file by file, committed or not. */
export const showWorktree: Command = async (surface, argument) => {
  const choice = await choose(surface, argument, vscode.l10n.t('Whose work do you want to see?'));
  if (!isChosen(choice)) {
    return choice;
  }
  const diff = await choice.host.worktrees.diff(choice.worktree.name);
  return diff.ok ? await openChanges(choice.host, diff.value) : diff.error;
};

async function openChanges({ root }: HostApi, { name, path, base, tip, files }: WorktreeDiff): Promise<CommandOutcome> {
  if (files.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} changed nothing.', plainLine(name)));
    return undefined;
  }
  const changes = files.map(({ path: file, change }) => {
    const before = versionOf(root, base, file);
    const after = path === null ? versionOf(root, tip, file) : vscode.Uri.file(join(path, file));
    return [after, change === 'added' ? undefined : before, change === 'removed' ? undefined : after];
  });
  await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('The work of {0}', plainLine(name)), changes);
  return undefined;
}

/** Merges a worktree's branch into the project's; asks before it commits what is not committed there. */
export const mergeWorktree: Command = async (surface, argument) => {
  const choice = await choose(surface, argument, vscode.l10n.t('Whose work do you want to merge?'));
  if (!isChosen(choice)) {
    return choice;
  }
  const { host, worktree } = choice;
  const { name, changes } = worktree;
  const commit = changes !== 0;
  if (commit && !(await confirmed(vscode.l10n.t('Commit and merge'), uncommittedText(worktree)))) {
    return undefined;
  }
  const merged = await host.worktrees.merge({ name, commit });
  return told(merged, ({ commits, into }) =>
    commits === 0
      ? vscode.l10n.t('{0} has everything of {1} already.', into, plainLine(name))
      : vscode.l10n.t('Commits of {0} merged into {1}: {2}.', plainLine(name), into, commits),
  );
};

function uncommittedText({ name, changes }: ShownWorktree): string {
  return vscode.l10n.t('{0} left files that are not committed ({1}).', plainLine(name), changes ?? '?');
}

/** Removes a worktree; asks before anything that is not merged is thrown away. */
export const removeWorktree: Command = async (surface, argument) => {
  const choice = await choose(surface, argument, vscode.l10n.t('Whose worktree do you want to remove?'));
  if (!isChosen(choice)) {
    return choice;
  }
  const { host, worktree } = choice;
  const { name, changes, commits } = worktree;
  const discard = changes !== 0 || commits !== 0;
  const text = vscode.l10n.t('The worktree of {0} holds work: {1}.', plainLine(name), wordsOf(worktree));
  if (discard && !(await confirmed(vscode.l10n.t('Throw away'), text))) {
    return undefined;
  }
  const removed = await host.worktrees.remove({ name, discard });
  return told(removed, ({ kept }) =>
    kept === null
      ? vscode.l10n.t('The worktree of {0} is removed.', plainLine(name))
      : vscode.l10n.t('The worktree of {0} is removed. What it held is kept in the commit {1}.', plainLine(name), kept),
  );
};

async function confirmed(button: string, text: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(text, { modal: true }, button)) === button;
}

function told<T>(outcome: Outcome<T>, textOf: (value: T) => string): CommandOutcome {
  if (!outcome.ok) {
    return outcome.error;
  }
  void vscode.window.showInformationMessage(textOf(outcome.value));
  return undefined;
}
