import { linkSync } from 'node:fs';
import { symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addFiles, tempProject } from '../../../test/support/tempProject';
import { MAX_TEXT_BYTES, openProject } from './projectReader';

describe('the project reader', () => {
  it('lists a folder by name and tells its kinds apart', async () => {
    const root = await tempProject({ 'b.md': '', 'a/x.md': '', 'я 🚀.md': '' });
    await symlink('b.md', join(root, 'link.md'));
    expect(await openProject(root).list('.')).toEqual([
      { name: 'a', kind: 'folder' },
      { name: 'b.md', kind: 'file' },
      { name: 'link.md', kind: 'other' },
      { name: 'я 🚀.md', kind: 'file' },
    ]);
  });

  it('finds nothing where nothing is, or where a file stands in the way', async () => {
    const project = openProject(await tempProject({ researches: 'a file, not a folder' }));
    expect(await project.list('features')).toBeNull();
    expect(await project.list('researches')).toBeNull();
    expect(await project.stat('features/x')).toBeNull();
    expect(await project.readText('features/x')).toEqual({ kind: 'absent' });
    expect(await project.readBytes('features/x')).toBeNull();
  });

  it.each(['secret/key.txt', '../outside/key.txt', '/etc/hostname', 'deep/../../outside/key.txt'])(
    'never reads %s, which lies outside',
    async (path) => {
      const root = await tempProject({ 'deep/x': '' });
      await addFiles(root, { '../outside/key.txt': 'secret' });
      await symlink('../outside', join(root, 'secret'));
      const project = openProject(root);
      expect(await project.readText(path)).toEqual({ kind: 'absent' });
      expect(await project.readBytes(path)).toBeNull();
      expect(await project.stat(path)).toBeNull();
    },
  );

  it('lists no folder that is a link out of the project', async () => {
    const root = await tempProject();
    await addFiles(root, { '../outside/key.txt': 'secret' });
    await symlink('../outside', join(root, 'researches'));
    expect(await openProject(root).list('researches')).toBeNull();
  });

  it('does not load a text above its cap', async () => {
    const root = await tempProject({ 'big.md': '' });
    await truncate(join(root, 'big.md'), MAX_TEXT_BYTES + 1);
    expect(await openProject(root).readText('big.md')).toMatchObject({ kind: 'too-large' });
  });

  it('refuses to hash a file above its cap', async () => {
    const root = await tempProject({ 'huge.bin': '' });
    await truncate(join(root, 'huge.bin'), 64 * 1024 * 1024 + 1);
    await expect(openProject(root).readBytes('huge.bin')).rejects.toThrow('larger than 64 MiB');
  });

  it('says so when a folder is too full to look through', async () => {
    const root = await tempProject({ 'x/0': '' });
    for (let i = 1; i <= 10_000; i += 1) {
      linkSync(join(root, 'x/0'), join(root, `x/${i}`));
    }
    await expect(openProject(root).list('x')).rejects.toThrow('more than 10000 entries');
  });
});
