import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempProject } from '../../test/support/tempProject';
import { createExport } from './createExport';

it('makes an export once, with the folders that it needs', async () => {
  const root = await tempProject();
  expect(await createExport(root, 'x.json', 'first')).toBe(true);
  expect(await createExport(root, 'x.json', 'second')).toBe(false);
  expect(await readFile(join(root, '.keysarium/exports/x.json'), 'utf8')).toBe('first');
});

it.each(['.keysarium', '.keysarium/exports'])('writes nothing where %s is a link inside the project', async (place) => {
  const root = await tempProject({ 'features/f/README.md': '' });
  await mkdir(join(root, place, '..'), { recursive: true });
  await symlink(join(root, 'features'), join(root, place));
  await expect(createExport(root, 'x.json', '')).rejects.toThrow(
    `${place} is a link or no folder. Put a real folder there.`,
  );
  expect(await readdir(join(root, 'features'))).toEqual(['f']);
});

it('never replaces what a link with the name of an export points to', async () => {
  const root = await tempProject({ 'CLAUDE.md': 'rules', '.keysarium/exports/old.json': '' });
  await symlink('../../CLAUDE.md', join(root, '.keysarium/exports/x.json'));
  expect(await createExport(root, 'x.json', 'new')).toBe(false);
  expect(await readFile(join(root, 'CLAUDE.md'), 'utf8')).toBe('rules');
});

it('accepts no name that leads elsewhere', async () => {
  await expect(createExport(await tempProject(), '../x.json', '')).rejects.toThrow('leads upward');
});
