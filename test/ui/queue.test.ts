import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { openUiWindow, type UiWindow } from './uiWindow';

/** For what a slow machine may take long to show. */
const PATIENT = { timeout: 60_000 };

let ui: UiWindow;

beforeAll(async () => {
  ui = await openUiWindow();
  await ui.workbench.viewHeader('Worker Types').click();
  await ui.workbench.row('Worker Types', 'health-check').waitFor();
});

beforeEach(({ task }) => {
  onTestFailed(async () => {
    await ui.keepPicture(task.name);
  });
});

afterAll(async () => {
  await ui.close();
});

function row(label: RegExp): Locator {
  return ui.workbench.view('Workers').getByRole('treeitem', { name: label });
}

async function start(type: string): Promise<void> {
  await ui.workbench.command('Workers: Start worker');
  await ui.workbench.pick(type);
}

it('a start beyond the limit is refused with a way to wait for a slot, and that stands in the tree', async () => {
  for (const count of [1, 2, 3]) {
    await start('nightly-tests');
    await expect.poll(async () => row(/^nightly-tests.*, running/).count(), PATIENT).toBe(count);
  }
  await start('health-check');
  const refusal = ui.workbench.notification('maximum concurrent workers (3) reached');
  await refusal.getByRole('button', { name: 'Start When a Slot Is Free' }).click();
  await row(/^health-check, queued, 1st$/).waitFor();
  expect(await row(/^health-check.*, running/).count()).toBe(0);
});

it('a second one waits behind it, and is cancelled in its row', async () => {
  await ui.workbench.command('Workers: Start when a slot is free');
  await ui.workbench.pick('consolidate');
  const second = row(/^consolidate, queued, 2nd$/);
  await second.waitFor();
  await ui.keepPicture('queued starts');
  await ui.workbench.inlineAction(second, 'Cancel queued start');
  await second.waitFor({ state: 'detached' });
  await row(/^health-check, queued, 1st$/).waitFor();
});

it('the first one starts when a worker ends', async () => {
  await ui.workbench.inlineAction(row(/^nightly-tests.*, running/).first(), 'Stop worker');
  await row(/^health-check, running/).waitFor();
  expect(await row(/queued/).count()).toBe(0);
});

it('Stop all names what it ends, and nothing that was queued takes its place', async () => {
  await ui.workbench.command('Workers: Start when a slot is free');
  await ui.workbench.pick('consolidate');
  await row(/^consolidate, queued, 1st$/).waitFor();
  await ui.workbench.command('Workers: Stop all');
  const dialog = ui.workbench.page.locator('.monaco-dialog-box');
  await dialog.getByText('Queued starts are cancelled first (now: 1).').waitFor();
  await dialog.getByRole('button', { name: 'Stop All' }).click();
  await expect.poll(async () => row(/running|stopping|starting|queued/).count(), PATIENT).toBe(0);
  expect(await row(/^consolidate/).count()).toBe(0);
});
