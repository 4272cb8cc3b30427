import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { AgentSnapshot, SessionSnapshot } from '../../../src/core/protocol/actors/sessionSnapshot';
import type { RollcallApi } from '../../../src/extension/surface';
import { waitUntil } from '../../support/vscode/waitUntil';
import { allNodes, openExtension, projectFolder } from './openExtension';

// Behind the suites that want a project in which nothing ever ran.
let rollcall: RollcallApi;
let configBefore: string;

function session(): SessionSnapshot | null {
  return rollcall.fleet.snapshots[0]?.session ?? null;
}

async function agentIs(name: string, suits: (agent: AgentSnapshot) => boolean): Promise<AgentSnapshot> {
  return await waitUntil(
    `${name} to be as expected`,
    () => session()?.agents.find((agent) => agent.name === name && suits(agent)),
    25_000,
  );
}

function rowText(name: string): string {
  const node = allNodes(rollcall.tree()).find((one) => one.kind === 'agent' && one.agent === name);
  return `${node?.label ?? ''} ${node?.description ?? ''}`;
}

function configFile(): string {
  return join(projectFolder(), '.vscode', 'workers.json');
}

describe('a session', () => {
  before(async () => {
    rollcall = await openExtension();
    const rawAgent = join(__dirname, '..', '..', 'test', 'fixtures', 'agents', 'rawAgent.mjs');
    const agents = {
      developer: { command: ['node', rawAgent, 'private'], start: 'session' },
      qa: { command: ['node', '-e', 'process.exit(3)'], restart: { max: 3, backoffSeconds: [60] } },
    };
    const text = await readFile(configFile(), 'utf8');
    configBefore = text;
    const added = `"agents": ${JSON.stringify(agents)}, "session": {"compatiblePipeNames": false}, "types": {`;
    await writeFile(configFile(), text.replace('"types": {', added));
    await agentIs('qa', ({ state }) => state === null);
  });

  after(async () => {
    const [host] = rollcall.fleet.hosts;
    await host?.session.stop({ requestedBy: 'vscode', force: true });
    await waitUntil('the session to end', () => session()?.agents.every(({ pid }) => pid === null));
    await writeFile(configFile(), configBefore);
  });

  it('starts with the agents that begin with it', async () => {
    await vscode.commands.executeCommand('rollcall.startSession');
    await agentIs('developer', ({ state, connected }) => state === 'running' && connected);
    assert.match(rowText('developer'), /^developer running · \d+ s$/);
  });

  it('stands in the status document with its agents, as in a terminal', async () => {
    await vscode.commands.executeCommand('rollcall.showStatus');
    const document = vscode.window.activeTextEditor?.document;
    await waitUntil('the session in the document', () =>
      /\n\nThe session runs \(event-driven\)\.\nAgent +State\ndeveloper +running/.test(document?.getText() ?? ''),
    );
    assert.equal(rowText('qa'), 'qa not started');
  });

  it('counts an agent down to its restart, restarts it at once and cancels that', async () => {
    await vscode.commands.executeCommand('rollcall.startAgent', 'qa');
    await agentIs('qa', ({ state, restarts }) => state === 'backoff' && restarts === 1);
    assert.match(rowText('qa'), /^qa restarts in \d+ s \(1 of 3\)$/);
    await vscode.commands.executeCommand('rollcall.restartNow', 'qa');
    await agentIs('qa', ({ state, restarts }) => state === 'backoff' && restarts === 2);
    await vscode.commands.executeCommand('rollcall.cancelRestart', 'qa');
    await agentIs('qa', ({ state }) => state === 'stopped');
  });

  it('brings what an agent asks to Needs you, and a dismissal takes it out', async () => {
    const [host] = rollcall.fleet.hosts;
    const payload = { taskId: 'T-1', do: ['ask'] };
    await host?.session.send({ requestedBy: 'vscode', to: 'developer', type: 'WorkAssign', payload });
    const item = await waitUntil('the question', () => session()?.inbox.find(({ kind }) => kind === 'question'));
    const needs = allNodes(rollcall.tree()).find(({ itemId }) => itemId === item.id);
    assert.equal(`${needs?.label ?? ''}: ${needs?.description ?? ''}`, 'developer asks: How about T-1?');
    const rowOf = (): string =>
      allNodes(rollcall.tree()).find(({ itemId }) => itemId === item.id)?.contextValue ?? 'none';
    await host?.snooze({ item: item.id, until: Date.now() + 3_600_000, requestedBy: 'cli' });
    await waitUntil('the item to be put off', () => rowOf() === 'snoozed.inbox.question.answer');
    await vscode.commands.executeCommand('rollcall.unsnoozeItem', needs?.id);
    await waitUntil('the item to be back', () => rowOf() === 'inbox.question.answer');
    const snoozing = vscode.commands.executeCommand('rollcall.snoozeItem', needs?.id);
    await waitUntil('the first span to be taken', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return rowOf().startsWith('snoozed.');
    });
    await snoozing;
    await vscode.commands.executeCommand('rollcall.dismissItem', item.id);
    await waitUntil('the inbox to be empty', () => session()?.inbox.length === 0);
  });

  it('shows an agent’s messages, its log and the reasons for its state', async () => {
    await vscode.commands.executeCommand('rollcall.showMessages', 'developer');
    const messages = vscode.window.activeTextEditor?.document;
    assert.equal(messages?.uri.scheme, 'rollcall-messages');
    assert.match(messages.getText(), /developer → pm {2}Query[^]+question: How about T-1\?/);
    await vscode.commands.executeCommand('rollcall.whyWorker', 'qa');
    const why = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(why, /^qa · stopped/);
    // Whoever leads may hear of the stop before it heard of the crash.
    assert.match(why, /Exit: (crash|asked to stop), exit 3/);
    await vscode.commands.executeCommand('rollcall.showLog', 'developer');
    await waitUntil('the channel of the agent', () =>
      vscode.workspace.textDocuments.some(
        (document) => document.uri.scheme === 'output' && document.getText().includes('developer begins'),
      ),
    );
  });

  it('stops one agent, and what is written for it waits in its mailbox', async () => {
    await vscode.commands.executeCommand('rollcall.stopAgent', 'developer');
    await agentIs('developer', ({ state }) => state === 'stopped');
    const [host] = rollcall.fleet.hosts;
    await host?.session.send({ requestedBy: 'vscode', to: 'developer', type: 'PlanUpdate', payload: { message: 'x' } });
    await agentIs('developer', ({ waiting }) => waiting === 1);
    assert.match(rowText('developer'), /^developer stopped by you · \d\d:\d\d · 1 waiting$/);
  });
});
