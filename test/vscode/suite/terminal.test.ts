import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { waitUntil } from '../../support/vscode/waitUntil';
import { openExtension, projectFolder } from './openExtension';

describe('a terminal of the window', () => {
  it('has rollcall on its PATH, with the same fleet as the window', async () => {
    await openExtension();
    const folder = await mkdtemp(join(tmpdir(), 'rc-terminal-'));
    const said = join(folder, 'said.json');
    const terminal = vscode.window.createTerminal({ cwd: projectFolder() });
    try {
      terminal.sendText(`rollcall status --json > '${said}.part' && mv '${said}.part' '${said}'`);
      await waitUntil('the command to say something', async () =>
        readFile(said).then(
          () => true,
          () => false,
        ),
      );
      const { root } = JSON.parse(await readFile(said, 'utf8')) as { readonly root: string };
      assert.equal(root, projectFolder());
    } finally {
      terminal.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
