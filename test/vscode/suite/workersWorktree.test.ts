import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { waitUntil } from '../../support/vscode/waitUntil';
import { openExtension, projectFolder } from './openExtension';

const NAME = 'dev-9';
const place = (): string => join(projectFolder(), '.keysarium', 'worktrees', NAME);

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function activeTab(): string {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';
}

describe('the worktree of an agent', () => {
  const code = (): string => join(projectFolder(), 'code.txt');

  before(async () => {
    await openExtension();
    await writeFile(code(), 'one\n');
    git(projectFolder(), 'init', '--quiet', '--initial-branch', 'main');
    git(projectFolder(), 'config', 'user.name', 'Tester');
    git(projectFolder(), 'config', 'user.email', 'tester@localhost');
    git(projectFolder(), 'add', 'code.txt');
    git(projectFolder(), 'commit', '--quiet', '-m', 'first');
    git(projectFolder(), 'worktree', 'add', '--quiet', '-b', `rollcall/${NAME}`, place(), 'HEAD');
    await appendFile(join(place(), 'code.txt'), 'two\n');
    await writeFile(join(place(), 'new.txt'), 'new\n');
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const path of [code(), join(projectFolder(), '.git'), join(projectFolder(), 'new.txt'), join(place(), '..')]) {
      await rm(path, { recursive: true, force: true });
    }
  });

  it('is shown file by file, with what is not committed', async () => {
    await vscode.commands.executeCommand('rollcall.showWorktree', NAME);
    await waitUntil('the editor of all changes', () => activeTab().includes(`The work of ${NAME}`));
    const texts = await waitUntil('both versions', () => {
      const shown = vscode.workspace.textDocuments.filter(({ fileName }) => /code\.txt$|new\.txt$/.test(fileName));
      return shown.length === 3 && shown.map((document) => document.getText());
    });
    assert.deepEqual([...texts].sort(), ['new\n', 'one\n', 'one\ntwo\n']);
  });

  it('is merged and removed by two commands once its work is committed', async () => {
    git(place(), 'add', '--all');
    git(place(), 'commit', '--quiet', '-m', 'work');
    await vscode.commands.executeCommand('rollcall.mergeWorktree', NAME);
    assert.equal(await readFile(code(), 'utf8'), 'one\ntwo\n');
    assert.ok(existsSync(join(projectFolder(), 'new.txt')));
    await vscode.commands.executeCommand('rollcall.removeWorktree', NAME);
    assert.ok(!existsSync(place()));
    assert.equal(git(projectFolder(), 'branch', '--list', 'rollcall/*'), '');
  });
});
