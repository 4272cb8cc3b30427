import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../support/runCli';
import { workerFolders, workersProject } from '../support/workersProject';

it('a worktree that has lost its .git is never taken for the project around it', async () => {
  const edits = { description: 'd', command: ['sh', '-c', 'echo hi > new.txt'], isolation: 'worktree' };
  const root = await workersProject({ types: { edits } });
  const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost'];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  expect((await runCli(root, 'start', 'edits', '--wait')).stdout).toContain('rollcall worktree merge --commit');
  const [id = ''] = workerFolders(root);
  const lost = join(root, '.keysarium', 'worktrees', id);
  rmSync(join(lost, '.git'));
  writeFileSync(join(root, 'mine.txt'), 'not committed');

  expect((await runCli(root, 'worktree', 'diff', id)).stdout).not.toContain('mine.txt');
  await runCli(root, 'worktree', 'merge', id, '--commit');
  await runCli(root, 'worktree', 'remove', id);
  expect(git('log', '--format=%s')).toBe('first\n');
  expect(git('status', '--porcelain', 'mine.txt')).toBe('?? mine.txt\n');
  expect(existsSync(join(lost, 'new.txt'))).toBe(true);
});
