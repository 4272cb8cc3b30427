import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { readBounded } from './boundedRead';

const folder = useTempFolder('bounded');
const at = (name: string): string => join(folder.path, name);

describe('readBounded', () => {
  it('reads a file up to its very limit, and refuses one byte more', async () => {
    await writeFile(at('full'), 'x'.repeat(100));
    expect(await readBounded(at('full'), 100)).toMatchObject({ kind: 'ok', text: 'x'.repeat(100), size: 100 });
    expect(await readBounded(at('full'), 99)).toEqual({ kind: 'too-large', size: 100 });
    await writeFile(at('empty'), '');
    expect(await readBounded(at('empty'), 100)).toMatchObject({ kind: 'ok', text: '', size: 0 });
  });

  it('says absent for what is not there, also below a file', async () => {
    await writeFile(at('file'), '');
    expect(await readBounded(at('none'), 10)).toEqual({ kind: 'absent' });
    expect(await readBounded(at('file/none'), 10)).toEqual({ kind: 'absent' });
  });

  it('opens no folder, link, pipe or device', async () => {
    await mkdir(at('folder'));
    await writeFile(at('target'), 'secret');
    await symlink(at('target'), at('link'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', at('pipe')]);
    for (const path of [at('folder'), at('link'), at('pipe'), '/dev/zero']) {
      expect(await readBounded(path, 10)).toEqual({ kind: 'not-a-file' });
    }
  });
});
