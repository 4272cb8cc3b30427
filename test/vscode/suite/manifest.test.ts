import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { manifest, openExtension } from './openExtension';

describe('the extension in VS Code', () => {
  before(async () => {
    await openExtension();
  });

  it('has registered every command that the manifest promises', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const promised = manifest().contributes.commands.map(({ command }) => command);
    assert.ok(promised.length > 10);
    assert.deepEqual(
      promised.filter((command) => !registered.has(command)),
      [],
    );
  });

  it('has both views, which take the focus', async () => {
    for (const { id } of manifest().contributes.views.rollcall) {
      await vscode.commands.executeCommand(`${id}.focus`);
    }
  });
});
