import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { openExtension, projectFolder } from './openExtension';

let rollcall: RollcallApi;
let kept: string;

const configuration = (): string => join(projectFolder(), '.vscode', 'workers.json');

function problems(): readonly vscode.Diagnostic[] {
  return vscode.languages
    .getDiagnostics(vscode.Uri.file(configuration()))
    .filter((problem) => problem.source === 'Rollcall');
}

describe('workers.json', () => {
  before(async () => {
    rollcall = await openExtension();
    kept = await readFile(configuration(), 'utf8');
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await writeFile(configuration(), kept);
  });

  it('that is fine has no problem', () => {
    assert.deepEqual(problems(), []);
  });

  it('with a bad entry shows it as a problem at its line, works without it, and is clean again when it is mended', async () => {
    const [first = '', ...rest] = kept.split('\n');
    await writeFile(
      configuration(),
      [first, '"agents": { "pm": { "comand": ["x"], "engine": "claude" } },', ...rest].join('\n'),
    );
    const [problem] = await waitUntil('the problem', () => (problems().length > 0 ? problems() : undefined));
    assert.match(problem?.message ?? '', /^agents\.pm\.comand /);
    assert.deepEqual([problem?.range.start.line, problem?.range.start.character], [1, 20]);
    const [host] = rollcall.fleet.hosts;
    assert.ok((await host?.listTypes())?.some(({ name }) => name === 'nightly-tests'));
    await writeFile(configuration(), kept);
    await waitUntil('no problem', () => problems().length === 0);
  });

  it('is opened by the command, as JSON with comments', async () => {
    await vscode.commands.executeCommand('rollcall.openConfiguration');
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.fileName, configuration());
    assert.equal(document.languageId, 'jsonc');
    assert.equal(document.getText(), kept);
  });

  it('is made with examples in comments where there is none, and has no problem', async () => {
    await rm(configuration());
    await vscode.commands.executeCommand('rollcall.openConfiguration');
    const text = await readFile(configuration(), 'utf8');
    assert.match(text, /"version": 1,\n/);
    assert.match(text, /\/\/ +"nightly-tests"/);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), text);
    const [host] = rollcall.fleet.hosts;
    assert.deepEqual((await host?.look())?.configDiagnostics, []);
  });
});

describe('a suggestion', () => {
  const suggested = (): readonly string[] =>
    rollcall.fleet.snapshots.flatMap((snapshot) => snapshot.suggestions.map(({ type }) => type));
  const healthChecks = (): number =>
    rollcall.fleet.snapshots.flatMap(({ workers }) => workers).filter(({ entry }) => entry.type === 'health-check')
      .length;
  let before = 0;

  it('comes after a bto-test, and starts nothing by itself', async () => {
    before = healthChecks();
    const evaluations = [{ completed_at: new Date().toISOString() }];
    await writeFile(join(projectFolder(), '.judge-attestations.json'), JSON.stringify({ evaluations }));
    await waitUntil('the suggestion', () => suggested().includes('health-check'), 80_000);
    assert.equal(healthChecks(), before);
  });

  it('is asked about where the setting allows it, and starts when the person says so', async () => {
    const settings = vscode.workspace.getConfiguration('rollcall');
    await settings.update('notifications.suggestions', true, vscode.ConfigurationTarget.Workspace);
    try {
      await waitUntil(
        'the health check to start',
        async () => {
          await vscode.commands.executeCommand('notification.acceptPrimaryAction');
          await vscode.commands.executeCommand('rollcall.refresh');
          return healthChecks() > before;
        },
        20_000,
      );
      await waitUntil('the suggestion to go', () => suggested().length === 0);
    } finally {
      await settings.update('notifications.suggestions', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });
});
