import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { overwriteFile, withRoom } from './overwriteFile';

async function tempFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-overwrite-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'file'), text);
  return join(folder, 'file');
}

describe('overwriteFile', () => {
  it('leaves the JSON that was written last, whatever stood there, in the same file', async () => {
    const path = await tempFile(withRoom('{}'));
    const { ino } = await stat(path);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        await overwriteFile(path, `${JSON.stringify(value)}\n`, { fsync: false });
        expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 50 },
    );
    expect((await stat(path)).ino).toBe(ino);
  });

  it('does not change the size of the file while the text fits, so a full disk cannot cut it', async () => {
    const path = await tempFile(withRoom('{"a": 1}\n'));
    const { size } = await stat(path);
    await overwriteFile(path, `${JSON.stringify({ a: 'ü'.repeat(3000) })}\n`, { fsync: true });
    expect((await stat(path)).size).toBe(size);
  });

  it('writes through no link, and makes no file', async () => {
    const path = await tempFile('untouched');
    await symlink(path, `${path}.link`);
    await expect(overwriteFile(`${path}.link`, 'x', { fsync: false })).rejects.toThrow();
    await expect(overwriteFile(`${path}.absent`, 'x', { fsync: false })).rejects.toThrow('ENOENT');
    expect(await readFile(path, 'utf8')).toBe('untouched');
  });
});
