import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';

const NO_FILE = 'it is a folder, a link or a pipe';

/** Ways in which `.vscode/workers.json` can be there and be no file to read. */
const UNREAD: readonly (readonly [string, (path: string) => unknown, string])[] = [
  [
    'larger than a megabyte',
    (path) => {
      writeFileSync(path, ' '.repeat(1024 * 1024 + 1));
    },
    'it has 1025 KiB',
  ],
  [
    'a folder',
    (path) => {
      mkdirSync(path);
    },
    NO_FILE,
  ],
  [
    'a link',
    (path) => {
      symlinkSync('/etc/hostname', path);
    },
    NO_FILE,
  ],
  ['a pipe that nobody writes to', (path) => execFileSync('mkfifo', [path]), NO_FILE],
];

test.each(UNREAD)('a configuration that is %s is told as such, at its place', async (_what, make, said) => {
  const root = await tempProject({ '.vscode/settings.json': '{}' });
  make(join(root, '.vscode', 'workers.json'));
  const host = await openTestHost(root);
  const place = { path: '', line: 1, column: 1 };
  expect(await host.configDiagnostics()).toEqual([{ ...place, message: expect.stringContaining(said) as string }]);
  expect((await host.look()).configDiagnostics).toHaveLength(1);
  expect((await host.listTypes()).map(({ name }) => name)).toContain('health-check');
});

test('a configuration that is not there is no fault', async () => {
  const host = await openTestHost(await tempProject());
  expect(await host.configDiagnostics()).toEqual([]);
});
