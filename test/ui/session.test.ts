import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { endKeepersOf } from '../support/endKeepersOf';
import { openUiWindow, type UiWindow } from './uiWindow';

/** For what a slow machine may take long to show. */
const PATIENT = { timeout: 60_000 };
const DARK = { 'workbench.colorTheme': 'Default Dark Modern' };
const rawAgent = fileURLToPath(new URL('../fixtures/agents/rawAgent.mjs', import.meta.url));
const command = (...first: readonly string[]): readonly string[] => [process.execPath, rawAgent, 'private', ...first];

let ui: UiWindow;

beforeAll(async () => {
  const agents = {
    developer: { command: command(), start: 'session' },
    qa: { command: command('exit:3'), start: 'session', restart: { max: 3, backoffSeconds: [60] } },
    artist: { command: command('exit:1'), start: 'session', restart: { max: 1, backoffSeconds: [1] } },
    writer: { command: command() },
  };
  ui = await openUiWindow({ settings: DARK, agents });
  await ui.workbench.viewHeader('Worker Types').click();
});

beforeEach(({ task }) => {
  onTestFailed(async () => {
    await ui.keepPicture(task.name);
  });
});

afterAll(async () => {
  await endKeepersOf(ui.project);
  await ui.close();
});

function row(label: RegExp | string): Locator {
  return ui.workbench.view('Workers').getByRole('treeitem', { name: label }).first();
}

async function openRow(label: RegExp): Promise<void> {
  await row(label).waitFor();
  if ((await row(label).getAttribute('aria-expanded')) === 'false') {
    await ui.workbench.toggleRow(row(label));
  }
}

/** Has the developer ask the person, by a message that a person writes. */
async function haveAsked(taskId: string): Promise<void> {
  await ui.workbench.command('Workers: Send message');
  await ui.workbench.pick('developer');
  await ui.workbench.pick('Other type');
  await ui.workbench.quickInput().fill('WorkAssign');
  await ui.workbench.page.keyboard.press('Enter');
  await ui.workbench.page.getByPlaceholder('{"key": "value"}').waitFor();
  await ui.workbench.quickInput().fill(`{"taskId": "${taskId}", "do": ["ask"]}`);
  await ui.workbench.page.keyboard.press('Enter');
}

it('agents stand in the tree before they ever ran, and the session starts in their row', async () => {
  await row(/^Session agents, no session/).waitFor();
  await row(/^developer, not started/).waitFor();
  await ui.keepPicture('session not started');
  await ui.workbench.inlineAction(row(/^Session agents/), 'Start session');
  await row(/^developer, running/).waitFor();
  await row(/^writer, not started/).waitFor();
});

it('one that crashes counts down to its restart', async () => {
  await row(/^qa, waits to restart, restarts in 5\d s \(1 of 3\)/).waitFor();
  const before = await row(/^qa/).getAttribute('aria-label');
  await expect.poll(async () => row(/^qa/).getAttribute('aria-label'), PATIENT).not.toBe(before);
});

it('one that gave up is told once, with a way to its log', async () => {
  const toast = ui.workbench.notification('artist was given up');
  await toast.waitFor();
  await row(/^artist gave up, crashed \(exit 1\)/).waitFor();
  await toast.getByRole('button', { name: 'Show Log' }).click();
  await expect.poll(async () => ui.workbench.visibleLines('panel'), PATIENT).toContain('artist begins');
  await ui.workbench.command('View: Hide Panel');
});

it('work for an agent that never ran starts it, and its messages stand below its row', async () => {
  await ui.workbench.inlineAction(row(/^writer/), 'Start agent');
  await row(/^writer, running/).waitFor();
  await ui.workbench.contextAction(row(/^writer/), 'Assign work');
  await ui.workbench.quickInput().fill('Describe the parcels');
  await ui.workbench.page.keyboard.press('Enter');
  await openRow(/^writer/);
  await row(/^to pm, WorkComplete, done, task-\d{8}-\d{6}, delivered/).waitFor();
  await row(/^from person, WorkAssign, Describe the parcels, task-\d{8}-\d{6}, handled/).waitFor();
  await ui.keepPicture('session messages');
  await row(/^to pm, WorkComplete/).click();
  await ui.workbench.editorTab('Messages of writer').waitFor();
  await expect.poll(async () => ui.workbench.visibleLines('editor'), PATIENT).toContain('title: Describe the parcels');
  await ui.keepPicture('session messages document');
  await ui.workbench.toggleRow(row(/^writer/));
  await ui.workbench.command('View: Close All Editors');
});

it('what an agent asks is told once, answered in its row, and then gone', async () => {
  await haveAsked('t1');
  await ui.workbench.notification('developer asks').waitFor();
  await row(/^developer asks, How about t1\?/).waitFor();
  await row(/^developer, running, asks: How about t1\?/).waitFor();
  await ui.workbench.inlineAction(row(/^developer asks/), 'Answer');
  await ui.workbench.page.getByPlaceholder('Your answer').waitFor();
  await ui.keepPicture('session answer');
  await ui.workbench.quickInput().fill('Go on with it.');
  await ui.workbench.page.keyboard.press('Enter');
  await row(/^developer asks/).waitFor({ state: 'detached' });
  await openRow(/^developer/);
  await row(/^to pm, WorkComplete, Go on with it\., asked/).waitFor();
  await ui.workbench.toggleRow(row(/^developer/));
});

it('a long answer is written in an editor and sent from there', async () => {
  await haveAsked('t2');
  await row(/^developer asks, How about t2\?/).click();
  await ui.workbench.page.getByPlaceholder('Your answer').waitFor();
  await ui.workbench.page.getByRole('button', { name: 'Write in an Editor' }).click();
  await ui.workbench.editorTab('Answer - developer.md').waitFor();
  await ui.workbench.page.locator('.part.editor .view-lines').click();
  await ui.workbench.page.keyboard.type('First this.\nThen that.');
  await ui.keepPicture('session draft');
  await ui.workbench.page.locator('.part.editor').getByRole('button', { name: 'Send' }).click();
  await row(/^developer asks/).waitFor({ state: 'detached' });
  await ui.workbench.editorTab('Answer - developer.md').waitFor({ state: 'detached' });
});

it('a restart is hurried by one click, and cancelled from the menu', async () => {
  await ui.workbench.inlineAction(row(/^qa/), 'Restart now');
  await row(/^qa, waits to restart, restarts in \d+ s \(2 of 3\)/).waitFor();
  await ui.workbench.contextAction(row(/^qa/), 'Cancel restart');
  await row(/^qa, stopped/).waitFor();
});

it('the session looks right while somebody asks, and stops in its row', async () => {
  await haveAsked('t3');
  await row(/^developer asks/).waitFor();
  await openRow(/^developer/);
  await ui.workbench.command('Notifications: Clear All Notifications');
  await ui.workbench.page.locator('.part.editor').hover();
  await ui.keepPicture('session dark');
  await ui.workbench.command('Preferences: Toggle between Light/Dark Themes');
  await ui.workbench.page.locator('.monaco-workbench.vs').waitFor();
  await ui.workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await ui.keepPicture('session light');
  await ui.workbench.inlineAction(row(/^Session agents/), 'Stop session');
  await ui.workbench.page.getByRole('dialog').getByRole('button', { name: 'Stop Session' }).click();
  await row(/^developer, stopped by you/).waitFor();
  await row(/^writer, stopped by you/).waitFor();
  await row(/^Session agents, no session/).waitFor();
});
