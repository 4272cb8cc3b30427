import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { ScriptProcess } from '../support/scriptProcess';
import { waitUntil } from '../support/vscode/waitUntil';
import { type ZergRun, zergRun } from '../support/zergRun';
import { openUiWindow, type UiWindow } from './uiWindow';

/** For what a slow machine may take long to show. */
const PATIENT = { timeout: 60_000 };
const DARK = { 'workbench.colorTheme': 'Default Dark Modern' };

let ui: UiWindow;
/** Session A, which works on features and knows nothing of whoever watches. */
let sessionA: ZergRun;

beforeAll(async () => {
  ui = await openUiWindow({ settings: DARK });
  sessionA = zergRun(ui.project);
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

async function openRow(label: RegExp): Promise<void> {
  await row(label).waitFor();
  if ((await row(label).getAttribute('aria-expanded')) === 'false') {
    await ui.workbench.toggleRow(row(label));
  }
}

/** Looks at the window as a person does who rests the mouse elsewhere. */
async function keepCalmPicture(name: string): Promise<void> {
  await ui.workbench.page.locator('.part.editor').hover();
  await ui.keepPicture(name);
}

it('a run that begins while the window is open comes into its tree by itself', async () => {
  await sessionA.act('user-auth', 'design 4 3 2');
  await row(/^user-auth, designed, not started/).waitFor();
  await sessionA.act('user-auth', 'start 4', 'task 1 1 in_progress 0', 'beat 0 0 1 1 3 5');
  await row(/^user-auth, executing, 0%, level 1\/3, 0\/9 tasks/).waitFor();
  await row(/^W0, running, active, 60% \[3\/5: ✅✅🔄⏳⏳\], AUTH-L1-001/).waitFor();
});

it('a late worker says since when, and its age goes on though no file changes', async () => {
  await sessionA.act('user-auth', 'task 1 2 in_progress 1', 'beat 1 44 1 2 2 4');
  await row(/^W1, running, late, last seen 4\d s ago, AUTH-L1-002/).waitFor();
  await row(/^W1, running, late, last seen (4[7-9]|5\d) s ago/).waitFor();
});

it('a worker whose heartbeat grows stale by itself leaves its task stranded', async () => {
  await sessionA.act('user-auth', 'task 1 3 in_progress 2', 'beat 2 118 1 3 1 5');
  await row(/^W2, running, late, last seen 1m 5\d s ago/)
    .or(row(/^W2, running, stale/))
    .first()
    .waitFor();
  await row(/^W2, running, stale, last seen 2m \d\ds ago, stranded AUTH-L1-003/).waitFor();
  await openRow(/^Level 1/);
  await row(/^AUTH-L1-003, stranded, W2/).waitFor();
});

it('a worker that dies, and one that starts again and again, say so', async () => {
  await sessionA.act('user-auth', 'task 1 4 in_progress 3', 'worker 3 crashed');
  await row(/^W3, crashed, stranded AUTH-L1-004/).waitFor();
  await sessionA.act('user-auth', 'task 1 4 in_progress 3', 'loop 3', 'beat 3 0 1 4 1 3');
  await row(/^W3, running, active, starts again and again/).waitFor();
});

it('a call for help is told once, counted, and shown among what needs a person', async () => {
  await sessionA.act('user-auth', 'escalate 1 1 2 The spec does not say which errors to show');
  await ui.workbench.notification('W1 asks for help').waitFor();
  await row(/^W1 asks for help, The spec does not say which errors to show, AUTH-L1-002/).waitFor();
  await row(/^Needs you, 1/).waitFor();
  await ui.workbench.page
    .locator('.part.activitybar')
    .getByRole('tab', { name: /1 need you/ })
    .waitFor();
  await sessionA.act('user-auth', 'error Level 1 merge failed after 3 attempts', 'pause');
  await row(/^user-auth: error, Level 1 merge failed/).waitFor();
  await row(/^user-auth, 0% paused, level 1\/3/).waitFor();
});

it('the tree looks right, with evidence and ages in its tooltip', async () => {
  await ui.workbench.command('Notifications: Clear All Notifications');
  await keepCalmPicture('features dark');
  const tooltip = ui.workbench.page.locator('.monaco-hover:visible', { hasText: 'heartbeat-1.json' });
  // A row whose age goes on while the pointer waits shows no tooltip; a person points at it again.
  await waitUntil('the tooltip', async () => {
    await row(/^W0/).hover();
    await row(/^W1, running/).hover();
    return await tooltip.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  });
  expect(await tooltip.innerText()).toMatch(/ago/);
  await ui.keepPicture('features tooltip');
});

it('a call for help can be put away, and one that is settled leaves by itself', async () => {
  await ui.workbench.inlineAction(row(/^user-auth: error/), 'Dismiss');
  await row(/^user-auth: error/).waitFor({ state: 'detached' });
  await sessionA.act('user-auth', 'resolve', 'resume');
  await row(/^Needs you/).waitFor({ state: 'detached' });
});

it("a worker's log is readable, and goes on over rotation and truncation", async () => {
  await sessionA.act('user-auth', 'print 0 running the tests');
  await ui.workbench.inlineAction(row(/^W0/), 'Show log');
  const lines = async (): Promise<string> => ui.workbench.visibleLines('panel');
  await expect.poll(lines, PATIENT).toMatch(/\d\d:\d\d:\d\d info {2}in progress: AUTH-L1-001 {2}\[AUTH-L1-001\]/);
  await expect.poll(lines, PATIENT).toContain('INFO  running the tests');
  await sessionA.act('user-auth', 'rotate 0', 'log 0 info after the rotation');
  await expect.poll(lines, PATIENT).toMatch(/info {2}after the rotation/);
  await sessionA.act('user-auth', 'truncate 0', 'print 0 after the cut');
  await expect.poll(lines, PATIENT).toContain('INFO  after the cut');
  await sessionA.act('billing', 'design 2 2', 'log 0 info of another feature');
  await sessionA.act('user-auth', 'log 0 info of this feature');
  await expect.poll(lines, PATIENT).toContain('of this feature');
  expect(await lines()).not.toContain('of another feature');
  expect(await lines()).not.toMatch(/\[32m|"ts"/);
  await keepCalmPicture('features log');
  await ui.workbench.command('View: Hide Panel');
});

it("a task leads to its specification and to its logs' folder", async () => {
  await sessionA.act('user-auth', 'artifact 1 1');
  await ui.workbench.contextAction(row(/^AUTH-L1-001/), 'Open specification');
  await ui.workbench.editorTab('task-graph.json').waitFor();
  await expect.poll(async () => ui.workbench.visibleLines('editor'), PATIENT).toContain('"AUTH-L1-001"');
  await ui.workbench.command('View: Close All Editors');
  await ui.workbench.inlineAction(row(/^AUTH-L1-001/), 'Open log folder');
  // The explorer shows a folder that is alone in its folder as `tasks/AUTH-L1-001`, in one row.
  await ui.workbench.page
    .locator('.explorer-folders-view [role=treeitem]', { hasText: 'AUTH-L1-001' })
    .first()
    .waitFor();
  await ui.workbench.openContainer('Workers');
});

it('the command line beside the window tells the same while both watch', async () => {
  const cli = new ScriptProcess(
    spawn(process.execPath, [join('dist', 'cli.js'), 'status', '--watch', '--cwd', ui.project], {
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  const told = async (what: RegExp): Promise<void> => {
    while (!what.test(await cli.line())) {
      // The next line may tell it.
    }
  };
  try {
    await told(/Feature: user-auth · executing/);
    await sessionA.act('user-auth', 'task 1 1 complete 0', 'task 1 2 complete 1', 'task 1 3 complete 2');
    await sessionA.act('user-auth', 'task 1 4 complete 3', 'level 2', 'task 2 1 in_progress 0', 'beat 0 0 2 1 2 5');
    await Promise.all([
      row(/^user-auth, executing, 44%, level 2\/3, 4\/9 tasks/).waitFor(),
      told(/Level 2\/3 \| Tasks: 4\/9 \(44%\)/),
    ]);
    await Promise.all([
      row(/^W0, running, active, 40% \[2\/5: ✅🔄⏳⏳⏳\], AUTH-L2-001/).waitFor(),
      told(/W0 running · AUTH-L2-001 · \[2\/5: ✅🔄⏳⏳⏳\] 40%/),
    ]);
  } finally {
    await cli.kill();
  }
});

it('several features stand side by side, and one that cannot be read says so instead of 0 %', async () => {
  await sessionA.act('billing', 'start 2', 'task 1 1 in_progress 1', 'task 1 1 complete 1');
  await row(/^billing, executing, 25%, level 1\/2, 1\/4 tasks/).waitFor();
  await row(/^user-auth, executing, 44%/).waitFor();
  await keepCalmPicture('features side by side');
  await ui.workbench.command('Preferences: Toggle between Light/Dark Themes');
  await ui.workbench.page.locator('.monaco-workbench.vs').waitFor();
  await ui.workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await keepCalmPicture('features light');
  await sessionA.act('billing', 'tear');
  await row(/^billing, cannot be read/).waitFor();
  await row(/^billing unreadable, \.zerg\/state\/billing\.json is damaged: restore it/).waitFor();
  await row(/^Not understood/).waitFor();
  await keepCalmPicture('features unreadable');
});
