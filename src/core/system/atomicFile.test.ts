import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { createExclusive, isHeldByReader, writeFileAtomic } from './atomicFile';

const folder = useTempFolder('atomic');

describe('writeFileAtomic', () => {
  it('shows a reader the old text or the new one, never a part', async () => {
    const path = join(folder.path, 'status.json');
    const texts = ['a', 'b'].map((letter) => letter.repeat(200_000));
    await writeFileAtomic(path, texts[0] ?? '');
    const writes = Array.from({ length: 30 }, async (_, index) => writeFileAtomic(path, texts[index % 2] ?? ''));
    const reads = Array.from({ length: 60 }, async () => readFile(path, 'utf8'));
    for (const text of await Promise.all(reads)) {
      expect(texts.includes(text)).toBe(true);
    }
    await Promise.all(writes);
    expect(await readdir(folder.path)).toEqual(['status.json']);
  });

  it('leaves nothing behind when it fails', async () => {
    await mkdir(join(folder.path, 'taken/inside'), { recursive: true });
    await expect(writeFileAtomic(join(folder.path, 'taken'), 'text')).rejects.toThrow();
    expect(await readdir(folder.path)).toEqual(['taken']);
  });

  it('gives the file the mode that was asked for', async () => {
    const path = join(folder.path, 'private');
    await writeFileAtomic(path, 'x', { mode: 0o600, fsync: true });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('tries again only for what Windows says while a reader holds the file', () => {
    const error = Object.assign(new Error('held'), { code: 'EPERM' });
    expect(isHeldByReader(error, 'win32')).toBe(true);
    expect(isHeldByReader(error, 'linux')).toBe(false);
    expect(isHeldByReader(Object.assign(new Error('full'), { code: 'ENOSPC' }), 'win32')).toBe(false);
  });
});

describe('createExclusive', () => {
  it.each(['', 'a whole text'])('lets exactly one of many make the file with %j', async (text) => {
    const path = join(folder.path, 'flag');
    const made = await Promise.all(Array.from({ length: 20 }, async () => createExclusive(path, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await readdir(folder.path)).toEqual(['flag']);
  });
});
