import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { launchBrowser, newProfile } from '../support/vscode/browser';
import { packedExtension } from '../support/vscode/packExtension';
import { ServerHost } from '../support/vscode/serverHost';
import { openWorkbench, type Workbench } from '../support/vscode/workbench';
import { zergRun } from '../support/zergRun';

/** A real window on a project in which there is nothing but what session A wrote. */
async function windowBeside(feature: string, ...acts: readonly string[]): Promise<Workbench> {
  const project = await mkdtemp(join(tmpdir(), 'rc-ui-'));
  onTestFinished(async () => rm(project, { recursive: true, force: true }));
  await zergRun(project).act(feature, ...acts);
  const host = await ServerHost.create();
  onTestFinished(async () => host.stop());
  await host.installVsix(packedExtension);
  await host.start();
  const browser = await launchBrowser();
  onTestFinished(async () => browser.close());
  return await openWorkbench(await newProfile(browser), host.url(project));
}

it('a window wakes for a feature run alone, and counts who calls for help before anybody opens the view', async () => {
  const workbench = await windowBeside('user-auth', 'design 2', 'start 1', 'escalate 0 1 1 Which errors?');
  const tab = workbench.page.locator('.part.activitybar').getByRole('tab', { name: /Workers.*1 need you/ });
  await tab.waitFor();
  expect(await tab.getAttribute('aria-expanded')).not.toBe('true');
});
