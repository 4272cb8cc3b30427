import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endKeepersOf } from '../support/endKeepersOf';
import { type CliRun, runCli } from '../support/runCli';
import { addFiles, tempProject } from '../support/tempProject';

/** A person's own git, whatever the machine's settings are. */
function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Edits a file, makes a new one, and says where it is. */
const EDIT = 'echo edited >> code.txt; echo new > "новый файл.txt"; pwd';

/** A repository whose type `editor` edits it in a worktree. */
async function repository(script = EDIT, inside = ''): Promise<{ readonly top: string; readonly root: string }> {
  const editor = { description: 'x', command: ['sh', '-c', script], isolation: 'worktree' };
  const top = await tempProject({}, 'мой project');
  const root = join(top, inside);
  await addFiles(root, {
    '.vscode/workers.json': JSON.stringify({ version: 1, types: { editor } }),
    'code.txt': 'one\ntwo\n',
    '.gitignore': '.keysarium/workers/\n',
  });
  onTestFinished(async () => endKeepersOf(root));
  git(top, 'init', '--quiet', '--initial-branch', 'main');
  git(top, 'config', 'user.name', 'Tester');
  git(top, 'config', 'user.email', 'tester@localhost');
  git(top, 'add', '--all');
  git(top, 'commit', '--quiet', '-m', 'first');
  return { top, root };
}

/** Runs the editor to its end; gives its id and its worktree. */
async function edit(root: string): Promise<{ readonly id: string; readonly path: string }> {
  const run = await runCli(root, 'start', 'editor', '--wait', '--json');
  expect(JSON.parse(run.stdout)).toMatchObject({ state: 'completed' });
  const { worker_id: id } = JSON.parse(run.stdout) as { worker_id: string };
  return { id, path: join(root, '.keysarium/worktrees', id) };
}

async function worktree(root: string, ...args: readonly string[]): Promise<CliRun> {
  return await runCli(root, 'worktree', ...args);
}

async function listed(root: string): Promise<readonly object[]> {
  return (JSON.parse((await worktree(root, 'list', '--json')).stdout) as { worktrees: readonly object[] }).worktrees;
}

/** All that a person sees of the project: files, branch and what git thinks of it. */
function stateOf(root: string): readonly string[] {
  return [
    readFileSync(join(root, 'code.txt'), 'utf8'),
    git(root, 'status', '--porcelain', '--branch'),
    git(root, 'rev-parse', 'HEAD'),
  ];
}

describe('a worker that edits code in a worktree', () => {
  it('leaves the project as it was, and its work is listed and shown with its new files', async () => {
    const { root } = await repository();
    const before = stateOf(root);
    const { id, path } = await edit(root);
    expect(stateOf(root)).toEqual(before);
    expect(readFileSync(join(root, '.keysarium/workers', id, 'worker.log'), 'utf8').trim()).toBe(path);
    expect(await listed(root)).toEqual([
      { name: id, branch: `rollcall/${id}`, path, commits: 0, changes: 2, busy: false },
    ]);
    const { stdout } = await worktree(root, 'diff', id);
    expect(stdout).toContain('+edited');
    expect(stdout).toContain('новый файл.txt');
    const diff = JSON.parse((await worktree(root, 'diff', id, '--json')).stdout) as { files: readonly object[] };
    expect(diff.files).toEqual([
      { path: 'code.txt', change: 'changed' },
      { path: 'новый файл.txt', change: 'added' },
    ]);
    expect(git(path, 'status', '--porcelain')).toBe(
      'M code.txt\n?? "\\320\\275\\320\\276\\320\\262\\321\\213\\320\\271 \\321\\204\\320\\260\\320\\271\\320\\273.txt"',
    );
  });

  it('is merged when it is committed, at wish by the merge itself, and then goes without a word', async () => {
    const { root } = await repository();
    const { id, path } = await edit(root);
    const refused = await worktree(root, 'merge', id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('2 files are not committed');
    const merged = await worktree(root, 'merge', id, '--commit');
    expect(merged.stdout).toBe(`Merged 1 commit of ${id} (rollcall/${id}) into main.\n`);
    expect(readFileSync(join(root, 'code.txt'), 'utf8')).toBe('one\ntwo\nedited\n');
    expect((await worktree(root, 'merge', id)).stdout).toContain('has everything');
    expect((await worktree(root, 'remove', id)).stdout).toBe(`Removed the worktree ${id}.\n`);
    expect(existsSync(path)).toBe(false);
    expect(git(root, 'branch', '--list', 'rollcall/*')).toBe('');
  });

  it('with a conflict changes nothing, and the files in conflict are named', async () => {
    const { root } = await repository('echo THEIRS > code.txt; git commit --quiet --all -m theirs');
    const { id } = await edit(root);
    writeFileSync(join(root, 'code.txt'), 'OURS\n');
    git(root, 'commit', '--quiet', '--all', '-m', 'ours');
    const before = stateOf(root);
    const refused = await worktree(root, 'merge', id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('nothing was merged: code.txt');
    expect(stateOf(root)).toEqual(before);
  });

  it('is not merged over what the person has not committed in the same file', async () => {
    const { root } = await repository('echo THEIRS >> code.txt; git commit --quiet --all -m theirs');
    const { id } = await edit(root);
    writeFileSync(join(root, 'code.txt'), 'mine, not committed\n');
    const before = stateOf(root);
    const refused = await worktree(root, 'merge', id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('code.txt');
    expect(stateOf(root)).toEqual(before);
  });

  it.each([
    ['uncommitted', EDIT, '2 files are not committed', ' --commit'],
    ['one uncommitted', 'echo x >> code.txt', '1 file is not committed', ' --commit'],
    ['unmerged', 'echo x >> code.txt; git commit --quiet --all -m x', '1 commit is not merged', ''],
  ])('is not removed with %s work; thrown away, it can be brought back', async (_name, script, reason, advised) => {
    const { root } = await repository(script);
    const { id, path } = await edit(root);
    const before = readFileSync(join(path, 'code.txt'), 'utf8');
    const refused = await worktree(root, 'remove', id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(reason);
    expect(refused.stderr).toContain(`rollcall worktree merge ${id}${advised}.`);
    expect(readFileSync(join(path, 'code.txt'), 'utf8')).toBe(before);
    const removed = await worktree(root, 'remove', id, '--discard', '--json');
    const { kept } = JSON.parse(removed.stdout) as { kept: string };
    expect(existsSync(path)).toBe(false);
    git(root, 'branch', 'back', kept);
    expect(git(root, 'show', 'back:code.txt')).toBe(before.trim());
    git(root, 'gc', '--prune=now', '--quiet');
    git(root, 'branch', '-D', 'back');
    expect(git(root, 'for-each-ref', '--format=%(objectname)', 'refs/rollcall/removed/')).toBe(kept);
  });

  it('keeps its branch when somebody deletes its folder', async () => {
    const { root } = await repository('echo x >> code.txt; git commit --quiet --all -m x');
    const { id, path } = await edit(root);
    rmSync(path, { recursive: true });
    expect(await listed(root)).toMatchObject([{ name: id, path: null, commits: 1, changes: 0 }]);
    expect((await worktree(root, 'remove', id)).code).toBe(1);
    expect((await worktree(root, 'diff', id)).stdout).toContain('+x');
    expect((await worktree(root, 'merge', id)).code).toBe(0);
    expect((await worktree(root, 'remove', id)).code).toBe(0);
    expect(await listed(root)).toEqual([]);
  });

  it('is neither removed nor committed while it works', async () => {
    const { root } = await repository('echo here >> code.txt; exec sleep 60');
    const { stdout } = await runCli(root, 'start', 'editor', '--json');
    const { worker_id: id } = JSON.parse(stdout) as { worker_id: string };
    const file = join(root, '.keysarium/worktrees', id, 'code.txt');
    await vi.waitFor(() => {
      expect(readFileSync(file, 'utf8')).toContain('here');
    }, 60_000);
    for (const args of [
      ['remove', id],
      ['remove', id, '--discard'],
      ['merge', id, '--commit'],
    ]) {
      const refused = await worktree(root, ...args);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('works in its worktree now')]);
    }
    expect((await worktree(root, 'list')).stdout).toContain('works now');
  });

  it('works in the part of the repository that is the project', async () => {
    const { top, root } = await repository(EDIT, 'packages/app');
    const { id, path } = await edit(root);
    const place = join(path, 'packages/app');
    expect(readFileSync(join(root, '.keysarium/workers', id, 'worker.log'), 'utf8').trim()).toBe(place);
    expect((await worktree(root, 'merge', id, '--commit')).code).toBe(0);
    expect(readFileSync(join(top, 'packages/app/code.txt'), 'utf8')).toContain('edited');
    // Whoever stands in a worktree means the project around it.
    expect((await worktree(place, 'list')).stdout).toContain(id);
  });

  it('cannot start where there is no commit to branch off from, and nothing is made', async () => {
    const editor = { description: 'x', command: ['true'], isolation: 'worktree' };
    const root = await tempProject({ '.vscode/workers.json': JSON.stringify({ version: 1, types: { editor } }) });
    const refused = await runCli(root, 'start', 'editor');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Run git init and git commit, or choose another isolation.');
    expect(existsSync(join(root, '.keysarium'))).toBe(false);
  });
});

describe('an agent that edits code in a worktree', () => {
  it('finds again what it left there', async () => {
    const { root } = await repository();
    const command = ['sh', '-c', 'pwd >> traces.txt'];
    const agents = { 'dev-1': { command, isolation: 'worktree', restart: { max: 0 } } };
    const config = { version: 1, agents, session: { compatiblePipeNames: false } };
    writeFileSync(join(root, '.vscode/workers.json'), JSON.stringify(config));
    const path = join(root, '.keysarium/worktrees/dev-1');
    for (const traces of [[path], [path, path]]) {
      expect((await runCli(root, 'agent', 'start', 'dev-1')).code).toBe(0);
      await vi.waitFor(
        async () => {
          expect((await runCli(root, 'session', 'status')).stdout).toContain('never connected');
          expect(readFileSync(join(path, 'traces.txt'), 'utf8').trim().split('\n')).toEqual(traces);
        },
        { timeout: 60_000, interval: 200 },
      );
    }
    expect(await listed(root)).toMatchObject([{ name: 'dev-1', branch: 'rollcall/dev-1', changes: 1 }]);
  });
});
