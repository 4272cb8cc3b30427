import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { listProcesses } from '../support/vscode/listProcesses';
import { waitUntil } from '../support/vscode/waitUntil';
import { openUiWindow, type UiWindow } from './uiWindow';

const STATUS_ITEM = 'rollcall.rollcall.rollcall.status';
// The README shows the current VS Code; pictures of other versions are only for looking at.
const SCREENSHOTS = (process.env['ROLLCALL_UI_TARGET'] ?? 'current') === 'current' ? 'media/screenshots' : 'out/ui';
/** For what a slow machine may take long to show. */
const PATIENT = { timeout: 60_000 };
const DARK = { 'workbench.colorTheme': 'Default Dark Modern' };

interface KeeperFile {
  readonly process: { readonly pid: number };
  readonly attempts: readonly { readonly exit: { readonly code: number | null } | null }[];
}

let ui: UiWindow;

beforeAll(async () => {
  ui = await openUiWindow({ settings: DARK });
  await ui.workbench.viewHeader('Worker Types').click();
});

beforeEach(({ task }) => {
  onTestFailed(async () => {
    await ui.keepPicture(task.name);
  });
});

afterAll(async () => {
  await ui.close();
});

function row(label: RegExp | string): Locator {
  return ui.workbench.view('Workers').getByRole('treeitem', { name: label }).first();
}

async function start(type: string): Promise<void> {
  await ui.workbench.command('Workers: Start worker');
  await ui.workbench.pick(type);
}

async function newestWorker(type: string): Promise<string> {
  const names = await readdir(join(ui.project, '.keysarium', 'workers'));
  const worker = names
    .filter((name) => name.startsWith('wkr-') && name.endsWith(type))
    .toSorted()
    .at(-1);
  expect(worker).toBeDefined();
  return worker ?? '';
}

async function workerFile(worker: string, name: string): Promise<string> {
  return await readFile(join(ui.project, '.keysarium', 'workers', worker, name), 'utf8');
}

async function keeperOf(worker: string): Promise<KeeperFile> {
  return JSON.parse(await workerFile(worker, 'keeper.json')) as KeeperFile;
}

function isAlive(pid: number): boolean {
  return listProcesses().some((process) => process.pid === pid && !process.ended);
}

async function stop(label: RegExp): Promise<void> {
  await ui.workbench.inlineAction(row(label), 'Stop worker');
}

async function openDone(): Promise<void> {
  const done = row(/^Done/);
  if ((await done.getAttribute('aria-expanded')) === 'false') {
    await ui.workbench.toggleRow(done);
  }
}

it('▶ on a type starts a worker whose row shows live progress, and the status bar counts it', async () => {
  await ui.workbench.inlineAction(ui.workbench.row('Worker Types', 'health-check'), 'Start');
  await row(/^health-check, running, \d\/6 \S+, \d+ s$/).waitFor();
  await expect.poll(async () => ui.workbench.statusItem(STATUS_ITEM).innerText(), PATIENT).toContain('1/3 workers');
});

it('the output channel of a worker follows its log to the last line', async () => {
  await ui.workbench.inlineAction(row(/^health-check, running/), 'Show log');
  const worker = await newestWorker('health-check');
  await openDone();
  await row(/^health-check, completed, 6\/6 checks/).waitFor();
  const lines = (await workerFile(worker, 'worker.log')).trim().split('\n');
  const last = lines.at(-1) ?? '';
  expect(lines.length).toBeGreaterThan(5);
  await expect.poll(async () => ui.workbench.visibleLines('panel'), PATIENT).toContain(last);
});

it('the result opens from the row of a worker that is done, and the status bar falls silent', async () => {
  await ui.workbench.toggleRow(row(/^health-check, completed/));
  await row('output file health-report.json').click();
  await ui.workbench.editorTab('health-report.json').waitFor();
  await expect.poll(async () => ui.workbench.visibleLines('editor'), PATIENT).toContain('"overall_status"');
  await ui.workbench.statusItem(STATUS_ITEM).waitFor({ state: 'detached' });
});

it('a worker goes on through a reload of the window, which shows the same process again', async () => {
  await start('nightly-tests');
  await row(/^nightly-tests, running, \d+\/\d+/).waitFor();
  const worker = await newestWorker('nightly-tests');
  const { pid } = (await keeperOf(worker)).process;
  await ui.workbench.reload();
  await row(/^nightly-tests, running, \d+\/\d+/).waitFor();
  expect((await keeperOf(worker)).process.pid).toBe(pid);
  expect(isAlive(pid)).toBe(true);
});

it('a tooltip says why a row is as it is', async () => {
  const { page } = ui.workbench;
  const tooltip = page.locator('.monaco-hover:visible', { hasText: 'wkr-' });
  // As in every tree, a row that was drawn anew under a resting pointer shows its tooltip when the pointer comes again.
  const read = async (): Promise<string> => {
    await page.locator('.part.editor').hover();
    await row(/^nightly-tests, running/).hover();
    return tooltip.innerText({ timeout: 2_000 }).catch(() => 'no tooltip this time');
  };
  let text = await read();
  while (!text.includes('wkr-')) {
    text = await read();
  }
  expect(text).toMatch(/State\s+running/);
  expect(text).toMatch(/process\s+process \d+ lives/);
  expect(text).toMatch(/Last log line\s+\[\d+\/32\]/);
  await page.locator('.part.editor').hover();
});

it('a worker goes on when the extension host is killed, and the next host finds it again', async () => {
  const worker = await newestWorker('nightly-tests');
  const { pid } = (await keeperOf(worker)).process;
  const before = ui.host.extensionHostPids();
  for (const host of before) {
    process.kill(host, 'SIGKILL');
  }
  await waitUntil('another extension host', () => ui.host.extensionHostPids().some((host) => !before.includes(host)));
  await row(/^nightly-tests, running, \d+\/\d+/).waitFor();
  expect((await keeperOf(worker)).process.pid).toBe(pid);
  expect(isAlive(pid)).toBe(true);
});

it('Stop in a row ends the worker for good, its exit is known, and no line of its log was lost', async () => {
  const worker = await newestWorker('nightly-tests');
  const { pid } = (await keeperOf(worker)).process;
  await stop(/^nightly-tests, running/);
  await openDone();
  await row(/^nightly-tests, stopped by you/).waitFor();
  expect(isAlive(pid)).toBe(false);
  expect((await keeperOf(worker)).attempts.at(-1)?.exit).not.toBeNull();
  const numbers = [...(await workerFile(worker, 'worker.log')).matchAll(/^\[(\d+)\/32\]/gm)].map(([, number]) =>
    Number(number),
  );
  expect(numbers.length).toBeGreaterThan(2);
  expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
});

it('Workers: Status shows the exact table in a document that cannot be edited', async () => {
  await ui.workbench.command('Workers: Status');
  await ui.workbench.editorTab('Workers Status').waitFor();
  const { keyboard } = ui.workbench.page;
  const lines = async (): Promise<string> => ui.workbench.visibleLines('editor');
  await expect.poll(lines, PATIENT).toContain('Active: 0/3 | Completed: 1 | Failed: 0');
  await ui.workbench.page.locator('.part.editor .view-lines').click();
  await keyboard.press('Control+Home');
  const text = await lines();
  await keyboard.type('x');
  await keyboard.press('Control+Home');
  expect(await lines()).toBe(text);
});

it('a failure is told once with a way to its log, stands in Needs you, and rings in the status bar', async () => {
  await start('always-fails');
  const toast = ui.workbench.notification('always-fails failed');
  await toast.waitFor();
  await row(/^always-fails failed/).waitFor();
  await expect
    .poll(async () => ui.workbench.statusItem(STATUS_ITEM).getAttribute('class'), PATIENT)
    .toContain('warning');
  await toast.getByRole('button', { name: 'Show Log' }).click();
  await expect.poll(async () => ui.workbench.visibleLines('panel'), PATIENT).toContain('about to fail');
  await ui.workbench.reload();
  await row(/^always-fails failed/).waitFor();
  expect(await ui.workbench.notification('always-fails failed').count()).toBe(0);
});

it('a start from the palette remembers the last type', async () => {
  await ui.workbench.command('Workers: Start worker');
  await ui.workbench.quickItem('always-fails').waitFor();
  const first = ui.workbench.page.locator('.quick-input-list .monaco-list-row').first();
  expect(await first.getAttribute('aria-label')).toMatch(/^always-fails/);
  await ui.workbench.page.keyboard.press('Escape');
});

it('the view looks right in a dark and a light theme', async () => {
  const { page } = ui.workbench;
  await ui.workbench.command('View: Close All Editors');
  await start('nightly-tests');
  await row(/^nightly-tests.*, running, [2-9]\/\d+/).waitFor();
  await ui.workbench.inlineAction(row(/^nightly-tests.*, running/), 'Show log');
  await start('health-check');
  await row(/^health-check.*, running, [2-5]\/6/).waitFor();
  await page.locator('.part.editor').hover();
  await page.screenshot({ path: join(SCREENSHOTS, 'workers-dark.png') });
  await ui.workbench.command('Preferences: Toggle between Light/Dark Themes');
  await page.locator('.monaco-workbench.vs').waitFor();
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await page.screenshot({ path: join(SCREENSHOTS, 'workers-light.png') });
  await stop(/^nightly-tests.*, running/);
  await expect.poll(async () => row(/running/).count(), PATIENT).toBe(0);
});
