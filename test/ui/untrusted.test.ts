import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { openUiWindow, type UiWindow } from './uiWindow';

let ui: UiWindow;

beforeAll(async () => {
  ui = await openUiWindow({ workspaceTrust: true, settings: { 'security.workspace.trust.startupPrompt': 'never' } });
});

beforeEach(({ task }) => {
  onTestFailed(async () => {
    await ui.keepPicture(task.name);
  });
});

afterAll(async () => {
  await ui.close();
});

it('an untrusted window says that it starts nothing, offers no ▶, and creates nothing', async () => {
  const { workbench, project } = ui;
  await workbench.view('Workers').getByText('You do not trust this folder').waitFor();
  await workbench.viewHeader('Worker Types').click();
  const type = workbench.row('Worker Types', 'health-check');
  await type.hover();
  const action = type.locator('.actions .action-label[aria-label^="Start"]');
  await action.click({ force: true });
  expect(await action.getAttribute('class')).toContain('disabled');
  expect(await workbench.row('Worker Types', 'nightly-tests').count()).toBe(0);
  expect(await readdir(join(project, '.keysarium'))).not.toContain('workers');
});
