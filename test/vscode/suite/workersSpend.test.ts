import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import type { WorkerSnapshot } from '../../../src/core/protocol/snapshot';
import type { RollcallApi } from '../../../src/extension/surface';
import { fakeProgram } from '../../support/engines/fakeProgram';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder } from './openExtension';

const TYPE = 'spending';

/** Says what its first turn cost, and goes on with a second one. */
const plan = `begin();
end({ total_cost_usd: 0.9, modelUsage: { m: { inputTokens: 1200, outputTokens: 34 } } });
begin();
setInterval(() => {}, 1_000);`;

let rollcall: RollcallApi;
let home: string;
let configBefore: string;

function configFile(): string {
  return join(projectFolder(), '.vscode', 'workers.json');
}

async function setProgram(program: string | undefined): Promise<void> {
  const settings = program === undefined ? undefined : { claude: { program } };
  const rollcallSettings = vscode.workspace.getConfiguration('rollcall');
  await rollcallSettings.update('engines.settings', settings, vscode.ConfigurationTarget.Workspace);
}

function workers(): readonly WorkerSnapshot[] {
  return rollcall.fleet.snapshots.flatMap((snapshot) => snapshot.workers).filter(({ entry }) => entry.type === TYPE);
}

/** One that is none of these. */
async function blownBeside(known: readonly WorkerSnapshot[]): Promise<WorkerSnapshot> {
  const ids = new Set(known.map(({ workerId }) => workerId));
  return await waitUntil('the fuse to blow', () =>
    workers().find(
      ({ workerId, attention, endedAt }) => !ids.has(workerId) && attention?.kind === 'fuse' && endedAt !== null,
    ),
  );
}

function rowOf({ workerId }: WorkerSnapshot): TreeNode | undefined {
  return allNodes(rollcall.tree()).findLast((node) => node.kind === 'worker' && node.workerId === workerId);
}

/** Its row in *Needs you*. */
function needOf({ workerId }: WorkerSnapshot): TreeNode | undefined {
  const [needs] = rollcall.tree().filter(({ label }) => label === 'Needs you');
  return needs?.children.find((node) => node.workerId === workerId);
}

async function reset(worker: WorkerSnapshot): Promise<void> {
  await vscode.commands.executeCommand('rollcall.resetFuse', worker.workerId);
  await waitUntil('the fuse to be whole', () => needOf(worker) === undefined);
}

describe('a worker that spends more than it may', () => {
  before(async () => {
    rollcall = await openExtension();
    home = await mkdtemp(join(tmpdir(), 'rc-home-'));
    const program = join(home, 'claude');
    await writeFile(program, fakeProgram(plan));
    await chmod(program, 0o755);
    await setProgram(program);
    configBefore = await readFile(configFile(), 'utf8');
    const type = { description: 'spends', template: 'spend.md', engine: 'claude', isolation: 'audit' };
    const env = { ANTHROPIC_API_KEY: 'dummy-key-0123456789', HOME: home };
    const added = JSON.stringify({ ...type, env, limits: { costUsd: 0.5 }, graceSeconds: 1 });
    await writeFile(join(projectFolder(), 'spend.md'), 'Spend it.');
    await writeFile(configFile(), configBefore.replace('"types": {', `"types": { "${TYPE}": ${added},`));
  });

  after(async () => {
    await setProgram(undefined);
    await writeFile(configFile(), configBefore);
    await rm(join(projectFolder(), 'spend.md'));
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });

  it('is ended by its fuse, which stands with its number in row and inbox, holds a retry and is reset', async () => {
    const before = workers();
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    const first = await blownBeside(before);
    assert.deepEqual([first.state, first.engine?.usage.costUsd], ['stopped', 0.9]);
    assert.match(rowOf(first)?.contextValue ?? '', /^worker\.stopped\.owned\b(?!.*\.retry).*\.fuse/);
    const need = needOf(first);
    assert.match(need?.label ?? '', /^spending.*: fuse blown$/);
    assert.equal(need?.description, 'spend: 0.5 USD');
    assert.match(rollcall.statusBar() ?? '', /\$\(bell-dot\) \d+$/);

    await vscode.commands.executeCommand('rollcall.retryWorker', first.workerId);
    await vscode.commands.executeCommand('rollcall.refresh');
    assert.equal(workers().length, before.length + 1);

    await reset(first);
    await waitUntil('a retry to be offered', () => /\.retry/.test(rowOf(first)?.contextValue ?? ''));
    await vscode.commands.executeCommand('rollcall.retryWorker', first.workerId);
    const second = await blownBeside([...before, first]);
    assert.equal(second.entry.retry_count, 1);
    await reset(second);
  });
});
