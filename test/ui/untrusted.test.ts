import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { openUiWindow, type UiWindow } from './uiWindow';

let ui: UiWindow;
let home: string;

/** What the program that the project names for claude leaves wherever it is run, be it to ask for its version. */
function trace(): string {
  return join(home, 'was-run');
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rc-home-'));
  const program = join(home, 'claude');
  await writeFile(program, `#!/bin/sh\ntouch '${trace()}'\necho 1.2.3\n`, { mode: 0o755 });
  ui = await openUiWindow({
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
    projectSettings: { 'rollcall.engines.settings': { claude: { program } } },
    agents: { developer: { engine: 'claude', start: 'session' } },
  });
});

beforeEach(({ task }) => {
  onTestFailed(async () => {
    await ui.keepPicture(task.name);
  });
});

afterAll(async () => {
  await ui.close();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
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

it('an untrusted window runs no engine that its project names, for a type, an agent or a question about it', async () => {
  const { workbench, project } = ui;
  // It may be asked about, and then it is the person's own that is looked for, not the project's.
  await workbench.command('Workers: Set up engine…');
  await workbench.page.locator('.quick-input-widget:visible').getByText('claude').first().waitFor();
  await workbench.page.keyboard.press('Escape');
  expect(existsSync(trace())).toBe(false);
  expect(await readdir(join(project, '.keysarium'))).not.toContain('workers');
});
