import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addFiles, tempProject } from '../../../test/support/tempProject';
import { filesBelow } from './filesBelow';
import { openProject } from './projectReader';

const isWanted = (name: string): boolean => name.endsWith('.md');

it('finds the wanted files down to a depth, and says when it left some out', async () => {
  const project = openProject(await tempProject({ 'x/b.md': '', 'x/a/c.md': '', 'x/a/d/e.md': '', 'x/f.txt': '' }));
  expect(await filesBelow(project, 'x', { depth: 2, max: 9, isWanted })).toEqual({
    files: ['x/a/c.md', 'x/b.md'],
    isCut: false,
  });
  expect(await filesBelow(project, 'x', { depth: 3, max: 2, isWanted })).toEqual({
    files: ['x/a/c.md', 'x/a/d/e.md'],
    isCut: true,
  });
  expect(await filesBelow(project, 'nowhere', { depth: 3, max: 2, isWanted })).toEqual({ files: [], isCut: false });
});

it('follows no link, neither out of the project nor in a circle', async () => {
  const root = await tempProject({ 'x/a.md': '' });
  await addFiles(root, { '../outside/secret.md': 'secret' });
  await symlink('../../outside', join(root, 'x/out'));
  await symlink('.', join(root, 'x/circle'));
  await symlink('../../outside/secret.md', join(root, 'x/secret.md'));
  expect((await filesBelow(openProject(root), 'x', { depth: 9, max: 9, isWanted })).files).toEqual(['x/a.md']);
});
