import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, newProfile } from '../support/vscode/browser';
import { packedExtension } from '../support/vscode/packExtension';
import { runTool } from '../support/vscode/runTool';
import { ServerHost, type ServerHostOptions } from '../support/vscode/serverHost';
import { openWorkbench, type Workbench } from '../support/vscode/workbench';

const TYPES = `"types": {
    "always-fails": {
      "description": "Fails so that somebody looks",
      "engine": "command",
      "command": ["node", "-e", "console.log('about to fail'); process.exit(3)"]
    },`;

/** A sample project open in a real window with the packed extension. */
export interface UiWindow {
  readonly host: ServerHost;
  readonly workbench: Workbench;
  readonly project: string;
  /** Keeps a picture of the window in out/ui. */
  keepPicture(name: string): Promise<void>;
  /** Ends the window, its server and the project's folder. Workers must have ended before. */
  close(): Promise<void>;
}

/** The window, and what its project has beside the sample's. */
export interface UiWindowOptions extends ServerHostOptions {
  /** Session agents by name, as in `.vscode/workers.json`. */
  readonly agents?: Readonly<Record<string, object>>;
  /** Settings of the project: what belongs to the machine is taken from there, not from the browser's own. */
  readonly projectSettings?: Readonly<Record<string, unknown>>;
}

function configWith(text: string, agents: UiWindowOptions['agents']): string {
  const session =
    agents === undefined ? '' : `"agents": ${JSON.stringify(agents)}, "session": {"compatiblePipeNames": false},\n  `;
  return text.replace('"types": {', `${session}${TYPES}`);
}

async function sampleProject({ agents, projectSettings }: UiWindowOptions): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'rc-ui-'));
  await runTool(process.execPath, ['scripts/sample.mjs', project]);
  const config = join(project, '.vscode', 'workers.json');
  await writeFile(config, configWith(await readFile(config, 'utf8'), agents));
  if (projectSettings !== undefined) {
    await writeFile(join(project, '.vscode', 'settings.json'), JSON.stringify(projectSettings));
  }
  return project;
}

/** Opens a fresh sample project in a window of its own. */
export async function openUiWindow(options: UiWindowOptions = {}): Promise<UiWindow> {
  const project = await sampleProject(options);
  const host = await ServerHost.create(options);
  await host.installVsix(packedExtension);
  await host.start();
  const browser: Browser = await launchBrowser();
  const profile = await newProfile(browser, { width: 1180, height: 720 });
  const workbench = await openWorkbench(profile, host.url(project));
  await workbench.openContainer('Workers');
  return {
    host,
    workbench,
    project,
    async keepPicture(name) {
      await workbench.page.screenshot({ path: join('out', 'ui', `${name.replaceAll(/\W+/g, '-')}.png`) });
    },
    async close() {
      await workbench.page.close({ runBeforeUnload: true });
      // Only then the browser: a page that vanishes leaves its extension host waiting for it.
      await host.extensionHostsGone();
      await browser.close();
      await host.stop();
      await rm(project, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
