import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import type { WorkerSnapshot } from '../../../src/core/protocol/snapshot';
import type { RollcallApi } from '../../../src/extension/surface';
import { engineEndpoint } from '../../support/engines/engineEndpoint';
import { enginePath } from '../../support/engines/installEngines';
import { realEngines } from '../../support/engines/realEngines';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder } from './openExtension';

const TYPE = 'pattern-analysis';

let rollcall: RollcallApi;
let server: ModelServer;
let home: string;
let configBefore: string;

function configFile(): string {
  return join(projectFolder(), '.vscode', 'workers.json');
}

/** Has workers of the type be done by claude, which asks the scripted model. */
async function useClaude(scenario: string): Promise<void> {
  const { own, configured } = engineEndpoint('claude', server.urlOf(scenario), 'dummy-key-0123456789');
  const env = { ...own, ...configured, HOME: home };
  const added = JSON.stringify({ engine: 'claude', isolation: 'audit', env });
  await writeFile(configFile(), configBefore.replace('"types": {', `"types": { "${TYPE}": ${added},`));
}

async function setProgram(bin: string | undefined): Promise<void> {
  const settings = bin === undefined ? undefined : { claude: { program: enginePath(bin, 'claude') } };
  const rollcallSettings = vscode.workspace.getConfiguration('rollcall');
  await rollcallSettings.update('engines.settings', settings, vscode.ConfigurationTarget.Workspace);
}

function workers(): readonly WorkerSnapshot[] {
  return rollcall.fleet.snapshots.flatMap((snapshot) => snapshot.workers).filter(({ entry }) => entry.type === TYPE);
}

function nodes(kind: TreeNode['kind']): readonly TreeNode[] {
  return allNodes(rollcall.tree()).filter((node) => node.kind === kind);
}

describe('a worker whose program asks a model', () => {
  before(async function () {
    if (realEngines === null) {
      // `realEngines` has printed why.
      this.skip();
    }
    rollcall = await openExtension();
    home = await mkdtemp(join(tmpdir(), 'rc-home-'));
    configBefore = await readFile(configFile(), 'utf8');
    server = await startModelServer();
    const content = 'found';
    server.script('ask', ({ turn }) => ({
      steps: turn === 0 ? [{ call: 'write', input: { path: 'notes.md', content } }] : [{ say: 'All done.' }],
    }));
    const error = { type: 'rate_limit_error', message: 'Rate limit exceeded' };
    const body = JSON.stringify({ type: 'error', error });
    server.script('limit', () => ({ status: 429, headers: { 'retry-after': '3600' }, body }));
    await setProgram(realEngines);
  });

  after(async () => {
    if (realEngines === null) {
      return;
    }
    await setProgram(undefined);
    await writeFile(configFile(), configBefore);
    await server.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });

  it('is allowed in its row of Needs you what it asks for, and goes on', async () => {
    await useClaude('ask');
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    const ask = await waitUntil('the request', () => nodes('ask')[0], 80_000);
    assert.equal(ask.label, `${TYPE} asks`);
    assert.match(ask.description, /^Write: notes\.md$/);
    assert.equal(ask.contextValue, 'ask.permission');
    assert.match(rollcall.statusBar() ?? '', /\$\(bell-dot\) \d+$/);
    const [worker] = workers();
    const row = nodes('worker').find(({ workerId }) => workerId === worker?.workerId);
    assert.match(row?.description ?? '', /^asks: Write: /);
    await vscode.commands.executeCommand('rollcall.allowRequest', ask.itemId);
    await waitUntil('the worker to end', () => workers().every(({ endedAt }) => endedAt !== null), 80_000);
    assert.equal(await readFile(join(projectFolder(), 'notes.md'), 'utf8'), 'found');
    assert.deepEqual(nodes('ask'), []);
    const [done] = workers();
    assert.equal(done?.state, 'completed');
    assert.equal(done.engine?.answers[0]?.by, 'vscode');
  });

  it('counts down while it is parked, and is stopped in its row', async () => {
    await useClaude('limit');
    await vscode.commands.executeCommand('rollcall.startWorker', TYPE);
    const parked = await waitUntil(
      'the worker to park',
      () => workers().find(({ state }) => state === 'parked'),
      25_000,
    );
    const row = nodes('worker').find(({ workerId }) => workerId === parked.workerId);
    assert.match(row?.description ?? '', /^rate limit, till \d\d:\d\d · \d+m \d\ds$/);
    assert.match(row?.contextValue ?? '', /^worker\.parked\.owned/);
    await vscode.commands.executeCommand('rollcall.stopWorker', parked.workerId);
    await waitUntil('the worker to be stopped', () =>
      workers().some(({ workerId, state }) => workerId === parked.workerId && state === 'stopped'),
    );
  });
});
