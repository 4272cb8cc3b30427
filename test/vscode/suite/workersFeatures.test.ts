import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { type ZergRun, zergRun } from '../../support/zergRun';
import { allNodes, openExtension, projectFolder } from './openExtension';

// Behind the suites that want a project in which nothing ever ran.
let rollcall: RollcallApi;
let sessionA: ZergRun;

function nodes(): readonly TreeNode[] {
  return allNodes(rollcall.tree());
}

function textOf({ label, description }: TreeNode): string {
  return description === '' ? label : `${label}: ${description}`;
}

/** Waits for a row of this kind whose text is so. */
async function row(kind: TreeNode['kind'], text: RegExp): Promise<TreeNode> {
  return await waitUntil(
    `a ${kind} like ${String(text)}`,
    () => nodes().find((node) => node.kind === kind && text.test(textOf(node))),
    20_000,
  );
}

function texts(kind: TreeNode['kind']): readonly string[] {
  return nodes()
    .filter((node) => node.kind === kind)
    .map(textOf);
}

/** The text of the output channel that a row's log is shown in. */
async function logShown(id: string, holds: RegExp): Promise<string> {
  return await waitUntil(
    `a channel with ${String(holds)}`,
    async () => {
      // What has just come may not be drawn yet, and only a drawn row has a log.
      await vscode.commands.executeCommand('rollcall.showLog', id);
      const channel = vscode.workspace.textDocuments.find(
        (document) => document.uri.scheme === 'output' && holds.test(document.getText()),
      );
      return channel?.getText();
    },
    20_000,
  );
}

describe('feature runs of another session', () => {
  before(async () => {
    rollcall = await openExtension();
    sessionA = zergRun(projectFolder(), join(__dirname, '..', '..', 'test', 'support'));
    await vscode.commands.executeCommand('rollcall.views.workers.focus');
  });

  after(async () => {
    for (const folder of ['.zerg', '.gsd']) {
      await rm(join(projectFolder(), folder), { recursive: true });
    }
    await vscode.commands.executeCommand('rollcall.refresh');
    await waitUntil('the runs to be gone', () => nodes().every(({ kind }) => kind !== 'feature'));
  });

  it('come into the tree by themselves, with levels, workers and steps', async () => {
    assert.ok(!rollcall.tree().some(({ label }) => label === 'Feature runs'));
    await sessionA.act('user-auth', 'design 4 2', 'start 3', 'task 1 1 in_progress 0', 'beat 0 0 1 1 3 5');
    await row('feature', /^user-auth: 0% · level 1\/2 · 0\/6 tasks$/);
    await row('runWorker', /^W0: 60% \[3\/5: ✅✅🔄⏳⏳\] · AUTH-L1-001$/);
    assert.deepEqual(texts('level'), ['Level 1 foundation: 0/4 running', 'Level 2 core: 0/2']);
    await row('task', /^AUTH-L1-001: in progress · W0 · Define types$/);
  });

  it('say of a late worker when it was last seen, and of a stale one what it left', async () => {
    await sessionA.act('user-auth', 'task 1 2 in_progress 1', 'beat 1 44 1 2 2 4');
    await row('runWorker', /^W1: last seen 4\d s ago · AUTH-L1-002$/);
    await sessionA.act('user-auth', 'task 1 3 in_progress 2', 'beat 2 200 1 3 1 5');
    await row('runWorker', /^W2: last seen 3m 2\ds ago · stranded AUTH-L1-003$/);
    await row('task', /^AUTH-L1-003: stranded · W2/);
  });

  it('say of a dead worker that it crashed, and of one that starts again and again that it does', async () => {
    await sessionA.act('user-auth', 'worker 2 crashed');
    await row('runWorker', /^W2: crashed · stranded AUTH-L1-003$/);
    await sessionA.act('user-auth', 'task 1 3 in_progress 2', 'loop 2', 'beat 2 0 1 3 1 5');
    await row('runWorker', /^W2: starts again and again · 20% /);
  });

  it('bring a call for help to Needs you, and a dismissal takes it out for good', async () => {
    await sessionA.act('user-auth', 'escalate 1 1 2 The spec does not say which errors to show');
    const need = await row('runNeed', /^W1 asks for help: The spec does not say which errors to show · AUTH-L1-002$/);
    await waitUntil('the call to be gone', async () => {
      await vscode.commands.executeCommand('rollcall.dismissItem', need.id);
      return nodes().every(({ kind }) => kind !== 'runNeed');
    });
    await sessionA.act('user-auth', 'escalate 0 1 1 Another one');
    await row('runNeed', /^W0 asks for help: Another one/);
    assert.equal(texts('runNeed').length, 1);
    await sessionA.act('user-auth', 'resolve');
    await waitUntil('the settled call to be gone', () => texts('runNeed').length === 0);
  });

  it('have a readable log per worker, which goes on over rotation and truncation', async () => {
    await sessionA.act('user-auth', 'print 0 running the tests', 'log 0 info as planned');
    const worker = await row('runWorker', /^W0: /);
    const begun = await logShown(worker.id, /as planned/);
    assert.match(begun, /\d\d:\d\d:\d\d info {2}in progress: AUTH-L1-001 {2}\[AUTH-L1-001\]\n/);
    assert.match(begun, /── \.zerg\/logs\/worker-0\.stdout\.log ──\nINFO {2}running the tests\n/);
    await sessionA.act('user-auth', 'rotate 0', 'log 0 info after the rotation');
    await logShown(worker.id, /worker-0\.jsonl begins anew ──\n.* info {2}after the rotation\n/);
    await sessionA.act('user-auth', 'truncate 0', 'print 0 cut');
    await logShown(worker.id, /worker-0\.stdout\.log begins anew ──\nINFO {2}cut\n/);
    await sessionA.act('billing', 'design 1', 'log 0 info of another feature');
    await sessionA.act('user-auth', 'log 0 info of this feature');
    assert.doesNotMatch(await logShown(worker.id, /of this feature/), /of another feature|\[32m|"ts"/);
  });

  it('stand side by side, each with its own workers and tasks', async () => {
    await sessionA.act('billing', 'start 2', 'task 1 1 complete 1');
    await row('feature', /^billing: 1\/1 tasks · complete$/);
    await row('feature', /^user-auth: 0% · level 1\/2/);
    const group = nodes().find(({ label }) => label === 'Feature runs');
    assert.deepEqual(
      group?.children.filter(({ kind }) => kind === 'feature').map(({ label }) => label),
      ['user-auth', 'billing'],
    );
    const ids = nodes().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('stand in the status document as their dashboards, which follow', async () => {
    await vscode.commands.executeCommand('rollcall.showStatus');
    const document = vscode.window.activeTextEditor?.document;
    assert.match(
      document?.getText() ?? '',
      /Feature: user-auth · executing[^]+W0 running · AUTH-L1-001 · \[3\/5: ✅✅🔄⏳⏳\] 60%/,
    );
    await sessionA.act('user-auth', 'task 1 1 complete 0');
    await waitUntil('the dashboard to follow', () => document?.getText().includes('Tasks: 1/6 (17%)'));
  });

  it('that cannot be read say so, and need a person', async () => {
    await sessionA.act('user-auth', 'tear');
    await row('feature', /^user-auth: cannot be read$/);
    await row('runNeed', /^user-auth unreadable: \.zerg\/state\/user-auth\.json is damaged: restore it/);
    assert.ok(!texts('feature').some((text) => /user-auth.*0%/.test(text)));
  });
});
