import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { WorkerSnapshot } from '../../../src/core/protocol/snapshot';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder, workerFile } from './openExtension';

let rollcall: RollcallApi;

function workers(): readonly WorkerSnapshot[] {
  return rollcall.fleet.snapshots.flatMap((snapshot) => snapshot.workers);
}

function newest(type: string): WorkerSnapshot | undefined {
  return workers().findLast((worker) => worker.entry.type === type);
}

async function newestIs(type: string, suits: (worker: WorkerSnapshot) => boolean): Promise<WorkerSnapshot> {
  return await waitUntil(
    `${type} to be as expected`,
    () => {
      const worker = newest(type);
      return worker !== undefined && suits(worker) ? worker : undefined;
    },
    25_000,
  );
}

function rowText(worker: WorkerSnapshot): string {
  const node = allNodes(rollcall.tree()).find((one) => one.kind === 'worker' && one.workerId === worker.workerId);
  return `${node?.label ?? ''} ${node?.description ?? ''}`;
}

async function stopAll(): Promise<void> {
  for (const worker of workers().filter((one) => one.endedAt === null && one.owned)) {
    await vscode.commands.executeCommand('rollcall.stopWorker', worker.workerId);
    await waitUntil('the worker to end', () =>
      workers().every((one) => one.workerId !== worker.workerId || one.endedAt !== null),
    );
  }
}

describe('before the first start', () => {
  it('a window shows no worker and a look creates nothing', async () => {
    rollcall = await openExtension();
    await vscode.commands.executeCommand('rollcall.refresh');
    const groups = rollcall.tree().map(({ label, description }) => `${label}: ${description}`);
    assert.deepEqual(groups, ['Session agents: no session']);
    assert.equal(rollcall.statusBar(), null);
    const folders = await readdir(join(projectFolder(), '.keysarium'));
    assert.ok(!folders.includes('workers'), `.keysarium holds ${folders.join(', ')}`);
  });

  it('the status document says so in the words of the protocol', async () => {
    await vscode.commands.executeCommand('rollcall.showStatus');
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^No workers have been started yet\.\n\nNo session runs\.\nAgent +State\n/);
  });

  it('an unknown type creates nothing', async () => {
    await vscode.commands.executeCommand('rollcall.startWorker', 'no-such-type');
    assert.deepEqual(workers(), []);
    assert.ok(!(await readdir(join(projectFolder(), '.keysarium'))).includes('workers'));
  });
});

describe('a worker', () => {
  before(async () => {
    rollcall = await openExtension();
  });
  afterEach(stopAll);

  it('runs from one command to its result', async () => {
    await vscode.commands.executeCommand('rollcall.startWorker', 'health-check');
    const running = await newestIs('health-check', (worker) => (worker.progress?.items_processed ?? 0) > 0);
    assert.match(rowText(running), /^health-check \d\/6 \S+ · \d+ s$/);
    assert.ok(running.owned && running.pid !== null);
    await waitUntil('the status bar', () => rollcall.statusBar() === '$(pulse) 1/3 workers');

    const done = await newestIs('health-check', (worker) => worker.state === 'completed');
    assert.match(rowText(done), /^health-check 6\/6 checks · \d+ s$/);
    assert.deepEqual(done.outputs, ['health-report.json']);
    await waitUntil('the status bar to hide', () => rollcall.statusBar() === null);

    await vscode.commands.executeCommand('rollcall.openOutput', done.workerId);
    await waitUntil('the report to open', () =>
      vscode.window.activeTextEditor?.document.fileName.endsWith('health-report.json'),
    );
  });

  it('writes its log to an output channel of its own', async () => {
    const worker = await newestIs('health-check', (one) => one.state === 'completed');
    await vscode.commands.executeCommand('rollcall.showLog', worker.workerId);
    const log = await workerFile(worker.workerId, 'worker.log');
    assert.ok(log.length > 0);
    await waitUntil('the channel to hold the whole log', () =>
      vscode.workspace.textDocuments.some(
        (document) => document.uri.scheme === 'output' && document.getText().includes(log.trim()),
      ),
    );
  });

  it('stops for good when it is told to', async () => {
    await vscode.commands.executeCommand('rollcall.startWorker', 'nightly-tests');
    await newestIs('nightly-tests', (worker) => worker.state === 'running' && worker.progress !== null);
    await vscode.commands.executeCommand('rollcall.stopWorker', newest('nightly-tests')?.workerId);
    const stopped = await newestIs('nightly-tests', (worker) => worker.state === 'stopped');
    assert.match(rowText(stopped), /^nightly-tests stopped by you · \d\d:\d\d$/);
    // The registry follows the process, a refresh later.
    await newestIs('nightly-tests', (worker) => worker.entry.status === 'stopped');
  });

  it('is in the status document exactly as the protocol prints it, and the document follows', async () => {
    await vscode.commands.executeCommand('rollcall.showStatus');
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document !== undefined && document.uri.scheme === 'rollcall-status');
    assert.match(document.getText(), /^═{55}\nBackground Workers Status\n═{55}\n\nID {36}Type {10}/);
    assert.match(document.getText(), /health-check +completed +6\/6 checks/);
    await vscode.commands.executeCommand('rollcall.startWorker', 'nightly-tests');
    await waitUntil('the document to follow', () => document.getText().includes('Active: 1/3'));
  });

  it('is refused beyond the limit, and nothing is created', async () => {
    while (workers().filter((worker) => worker.state === 'running').length < 3) {
      await vscode.commands.executeCommand('rollcall.startWorker', 'nightly-tests');
    }
    const before = workers().length;
    await vscode.commands.executeCommand('rollcall.startWorker', 'nightly-tests');
    await vscode.commands.executeCommand('rollcall.refresh');
    assert.equal(workers().length, before);
    await waitUntil('the status bar', () => rollcall.statusBar() === '$(pulse) 3/3 workers');
  });
});

describe('a worker of somebody else', () => {
  const workerId = 'wkr-20260301-143022-consolidate';

  it('whose status.json is torn is marked with the reason, and asks for a person', async () => {
    const folder = join(projectFolder(), '.keysarium', 'workers');
    const registry = JSON.parse(await workerFile('registry.json')) as { workers: unknown[] };
    registry.workers.push({
      worker_id: workerId,
      type: 'consolidate',
      status: 'running',
      model: 'sonnet',
      started_at: new Date().toISOString().replace(/\.\d+/, ''),
      completed_at: null,
      output_dir: `.keysarium/workers/${workerId}/`,
      retry_count: 0,
    });
    await mkdir(join(folder, workerId));
    await writeFile(join(folder, workerId, 'status.json'), '{"status": "run');
    await writeFile(join(folder, 'registry.json'), JSON.stringify(registry, undefined, 2));
    const torn = await newestIs('consolidate', (worker) => worker.problem !== null);
    assert.equal(torn.owned, false);
    const [needs] = rollcall.tree();
    const [row] = needs?.children ?? [];
    assert.equal(needs?.label, 'Needs you');
    assert.equal(row?.label, 'consolidate unreadable');
    assert.match(row.description, /status\.json/);
  });
});
