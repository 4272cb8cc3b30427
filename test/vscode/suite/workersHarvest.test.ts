import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder, workerFile } from './openExtension';

const workerId = 'wkr-20260302-090000-consolidate';
const delta = `# Harvest Delta — 2026-03-02T09:00:00Z

## New Patterns Discovered

### Domain Patterns

- *Pilot with one depot* (3 cases)

## Application Instructions

Copy what you like.
`;

let rollcall: RollcallApi;

/** A consolidate worker of another program that has ended. */
async function addWorker(): Promise<void> {
  const root = join(projectFolder(), '.keysarium', 'workers');
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const registry = JSON.parse(await workerFile('registry.json')) as { workers: unknown[] };
  registry.workers.push({
    worker_id: workerId,
    type: 'consolidate',
    status: 'completed',
    model: 'sonnet',
    started_at: now,
    completed_at: now,
    output_dir: `.keysarium/workers/${workerId}/`,
    retry_count: 0,
  });
  await mkdir(join(root, workerId, 'output'), { recursive: true });
  await writeFile(join(root, workerId, 'output', 'harvest-delta.md'), delta);
  const status = { worker_id: workerId, type: 'consolidate', status: 'completed', started_at: now, completed_at: now };
  await writeFile(join(root, workerId, 'status.json'), JSON.stringify(status));
  await writeFile(join(root, 'registry.json'), JSON.stringify(registry, undefined, 2));
}

const harvestFile = (): string => join(projectFolder(), 'TOOLKIT_HARVEST.md');

function harvestDocument(): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.fileName === harvestFile());
}

/** Runs the command and accepts what its list proposes, once both texts are on the screen. */
async function review(): Promise<void> {
  let ended = false;
  const command = Promise.resolve(vscode.commands.executeCommand('rollcall.reviewHarvest', workerId)).then(() => {
    ended = true;
  });
  await waitUntil('both texts to be open', () => {
    const shown = vscode.window.visibleTextEditors.map(({ document }) => document.fileName);
    return shown.includes(harvestFile()) && shown.some((name) => name.endsWith('harvest-delta.md'));
  });
  await waitUntil('the list to be accepted', async () => {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    return ended;
  });
  await command;
}

describe('a harvest delta', () => {
  before(async () => {
    rollcall = await openExtension();
    await addWorker();
    await waitUntil('the worker to be shown', () =>
      allNodes(rollcall.tree()).some((node) => node.workerId === workerId && node.contextValue.includes('.harvest.')),
    );
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('is taken over with what the person picks, not saved, and one undo takes it back', async () => {
    const old = await readFile(harvestFile(), 'utf8');
    await review();
    const document = harvestDocument();
    assert.ok(document !== undefined);
    assert.ok(document.getText().startsWith(old));
    assert.match(document.getText(), /### Domain Patterns\n\n<!-- harvested: \S+ \S+ -->\n- \*Pilot with one depot\*/);
    assert.doesNotMatch(document.getText(), /Copy what you like/);
    assert.equal(await readFile(harvestFile(), 'utf8'), old);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), old);
    await vscode.commands.executeCommand('redo');
  });

  it('is not taken over twice', async () => {
    const text = harvestDocument()?.getText() ?? '';
    assert.match(text, /Pilot with one depot/);
    await vscode.window.showTextDocument(vscode.Uri.file(harvestFile()));
    await review();
    const again = harvestDocument()?.getText() ?? '';
    assert.equal(again.split('Pilot with one depot').length, 2);
  });

  it('of a worker that left none is refused and changes nothing', async () => {
    const health = rollcall.fleet.snapshots
      .flatMap(({ workers }) => workers)
      .find((worker) => worker.state === 'completed' && !worker.outputs.includes('harvest-delta.md'));
    const before = harvestDocument()?.getText();
    await vscode.commands.executeCommand('rollcall.reviewHarvest', health?.workerId);
    assert.equal(harvestDocument()?.getText(), before);
  });
});
