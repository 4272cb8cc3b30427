import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import type { WorkerSnapshot } from '../../../src/core/protocol/snapshot';
import { isActive } from '../../../src/core/protocol/workers/statusWord';
import { makeWorkerId } from '../../../src/core/protocol/workers/workerId';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder } from './openExtension';

const TYPE = 'nightly-tests';
const DAY = 24 * 3_600_000;

let rollcall: RollcallApi;

function workers(): readonly WorkerSnapshot[] {
  return rollcall.fleet.snapshots.flatMap((snapshot) => snapshot.workers);
}

function running(): readonly WorkerSnapshot[] {
  return workers().filter(({ entry, state }) => entry.type === TYPE && state === 'running');
}

/** Also by workers of other programs that earlier suites left. */
function takenSlots(): number {
  return workers().filter(({ entry }) => isActive(entry.status)).length;
}

function nodes(kind: TreeNode['kind']): readonly TreeNode[] {
  return allNodes(rollcall.tree()).filter((node) => node.kind === kind);
}

function rowOf(workerId: string): TreeNode | undefined {
  return nodes('worker').find((node) => node.workerId === workerId);
}

async function stop(workerId: string): Promise<void> {
  await vscode.commands.executeCommand('rollcall.stopWorker', workerId);
  await waitUntil('the worker to end', () =>
    workers().every((one) => one.workerId !== workerId || one.endedAt !== null),
  );
}

async function stopRunning(): Promise<void> {
  for (const { workerId } of workers().filter(({ endedAt, owned }) => endedAt === null && owned)) {
    await stop(workerId);
  }
}

before(async () => {
  rollcall = await openExtension();
});

describe('a queued start', () => {
  after(stopRunning);

  it('has a row with its place, and cancelling takes it away', async () => {
    while (takenSlots() < 3) {
      const before = running().length;
      await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
      await waitUntil('one more to run', () => running().length > before);
    }
    await vscode.commands.executeCommand('rollcall.startWhenFree', TYPE);
    await vscode.commands.executeCommand('rollcall.startWhenFree', TYPE);
    await waitUntil('two rows', () => nodes('queued').length === 2);
    assert.deepEqual(
      nodes('queued').map(({ label, description, contextValue }) => [label, description, contextValue]),
      [
        [TYPE, 'queued, 1st', 'queued'],
        [TYPE, 'queued, 2nd', 'queued'],
      ],
    );
    assert.equal(takenSlots(), 3);
    await vscode.commands.executeCommand('rollcall.cancelQueued', nodes('queued')[1]?.queueId);
    await waitUntil('one row', () => nodes('queued').length === 1);
  });

  it('starts when a worker ends', async () => {
    const before = new Set(workers().map(({ workerId }) => workerId));
    await stop(running()[0]?.workerId ?? '');
    const made = await waitUntil('the queued one to run', () =>
      running().find(({ workerId }) => !before.has(workerId)),
    );
    assert.match(String(made.entry.extra['queue_id']), /^q-[0-9a-f]{8}$/);
    await waitUntil('the row to go', () => nodes('queued').length === 0);
    assert.ok(takenSlots() <= 3);
  });
});

describe('a worker that somebody else killed', () => {
  let killed = '';
  after(stopRunning);

  it('counts down to its retry, and asks for nobody', async () => {
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    const [worker] = await waitUntil('it to run', () => (running().length === 1 ? running() : undefined));
    killed = worker?.workerId ?? '';
    process.kill(worker?.pid ?? Number.NaN, 'SIGKILL');
    await waitUntil('the countdown', () => /^restarts in \d+ s \(1 of 2\)$/.test(rowOf(killed)?.description ?? ''));
    assert.match(rowOf(killed)?.contextValue ?? '', /^worker\.backoff\.owned\.retry/);
    assert.ok(nodes('need').every((node) => node.workerId !== killed));
  });

  it('is retried at once when the person says so, and only once', async () => {
    await vscode.commands.executeCommand('rollcall.retryWorker', killed);
    const retries = (): readonly WorkerSnapshot[] =>
      workers().filter(({ entry }) => entry.extra['retry_of'] === killed);
    await waitUntil('the retry to run', () => retries()[0]?.state === 'running');
    assert.equal(retries()[0]?.entry.retry_count, 1);
    assert.doesNotMatch(rowOf(killed)?.contextValue ?? '', /retry/);
    await vscode.commands.executeCommand('rollcall.retryWorker', killed);
    await vscode.commands.executeCommand('rollcall.refresh');
    assert.equal(retries().length, 1);
  });
});

describe('a clean-up', () => {
  const id = makeWorkerId('old-worker', Date.now() - 2 * DAY);
  const folder = (): string => join(projectFolder(), '.keysarium', 'workers');

  it('lists what can go, and moves it when the first row is picked', async () => {
    await mkdir(join(folder(), id));
    await writeFile(join(folder(), id, 'status.json'), JSON.stringify({ status: 'completed' }));
    const old = (Date.now() - 2 * DAY) / 1000;
    await utimes(join(folder(), id, 'status.json'), old, old);
    await utimes(join(folder(), id), old, old);
    let ended = false;
    const command = Promise.resolve(vscode.commands.executeCommand('rollcall.collectGarbage')).then(() => {
      ended = true;
    });
    await waitUntil('the list to be accepted', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return ended;
    });
    await command;
    assert.ok(!(await readdir(folder())).includes(id));
  });

  it('is undone by one command', async () => {
    await vscode.commands.executeCommand('rollcall.restoreGarbage', projectFolder());
    assert.ok((await readdir(folder())).includes(id));
    assert.deepEqual(await readdir(join(folder(), id)), ['status.json']);
  });
});
