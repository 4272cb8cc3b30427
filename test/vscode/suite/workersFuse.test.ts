import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import type { WorkerSnapshot } from '../../../src/core/protocol/snapshot';
import { makeWorkerId } from '../../../src/core/protocol/workers/workerId';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder } from './openExtension';

const TYPE = 'nightly-tests';
const MB = 1024 * 1024;

let rollcall: RollcallApi;
let kept: string;

const configuration = (): string => join(projectFolder(), '.vscode', 'workers.json');
const loud = (): string => join(projectFolder(), '.keysarium', 'workers', makeWorkerId('loud', Date.UTC(2020, 0, 1)));

function fuseRow(): TreeNode | undefined {
  return allNodes(rollcall.tree()).find(({ kind }) => kind === 'fuse');
}

function running(): readonly WorkerSnapshot[] {
  const workers = rollcall.fleet.snapshots.flatMap((snapshot) => snapshot.workers);
  return workers.filter(({ entry, endedAt }) => entry.type === TYPE && endedAt === null);
}

async function stopRunning(): Promise<void> {
  for (const { workerId } of running()) {
    await vscode.commands.executeCommand('rollcall.stopWorker', workerId);
  }
  await waitUntil('them to end', () => running().length === 0);
}

describe('a blown fuse of the whole project', () => {
  before(async () => {
    rollcall = await openExtension();
    kept = await readFile(configuration(), 'utf8');
    await writeFile(configuration(), kept.replace('{', '{ "limits": { "totalLogsMB": 1 },'));
    await mkdir(loud(), { recursive: true });
    await writeFile(join(loud(), 'worker.log'), Buffer.alloc(20 * MB, 120));
  });
  after(async () => {
    await writeFile(configuration(), kept);
    await rm(loud(), { recursive: true });
    await stopRunning();
  });

  it('is a row that starts nothing, and starts go on once the command of that row has reset it', async () => {
    // A start measures the logs, unless that was just done; else the leader does, every 15 seconds.
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    const row = await waitUntil('the row', fuseRow);
    assert.equal(row.contextValue, 'fuse.logs');
    assert.match(row.description, /^total logs: 1 MB \(2\d(\.\d)? MB now/);
    await stopRunning();
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    assert.equal(running().length, 0);
    assert.ok(fuseRow() !== undefined);

    await vscode.commands.executeCommand('rollcall.resetFuse', row.id);
    await waitUntil('the row to go', () => fuseRow() === undefined);
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    await waitUntil('it to run', () => running().length === 1);
    assert.equal(fuseRow(), undefined);
  });
});
