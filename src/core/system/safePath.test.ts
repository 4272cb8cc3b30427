import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { confinedPath, relativePathProblem } from './safePath';

const folder = useTempFolder('safe path');

describe('relativePathProblem', () => {
  it.each([
    '',
    'a\0b',
    '/etc',
    '\\\\server\\x',
    'C:x',
    'c:\\x',
    '..',
    'a/../../b',
    'a\\..\\b',
    'nul',
    'a/CON.txt',
    'COM1',
  ])('refuses %j on every platform', (path) => {
    expect(relativePathProblem(path)).not.toBeNull();
  });

  it.each(['a', 'a/b.json', '.claude/lib', 'a..b', 'console/nullable.ts', 'Köln 🚂/x'])('takes %j', (path) => {
    expect(relativePathProblem(path)).toBeNull();
  });
});

describe('confinedPath', () => {
  it('takes what is inside, is yet to be made, or is a link that stays inside', async () => {
    await mkdir(join(folder.path, 'root/real'), { recursive: true });
    const root = join(folder.path, 'root');
    await symlink(join(root, 'real'), join(root, 'link'));
    for (const path of ['real', 'real/new/file', 'link/file']) {
      expect(await confinedPath(root, path)).toEqual({ ok: true, value: join(root, path) });
    }
  });

  it('refuses links out of the root at any depth, a neighbour with the same beginning, and dead links', async () => {
    const root = join(folder.path, 'root');
    await mkdir(root);
    await mkdir(join(folder.path, 'root-next'));
    await writeFile(join(folder.path, 'secret'), '');
    await symlink('..', join(root, 'up'));
    await symlink(join(folder.path, 'root-next'), join(root, 'next'));
    await symlink(join(folder.path, 'nowhere'), join(root, 'dead'));
    for (const path of ['up', 'up/secret', 'up/new', 'next/x', 'dead', 'dead/x']) {
      expect(await confinedPath(root, path)).toMatchObject({ ok: false });
    }
  });
});
