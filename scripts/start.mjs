// `npm start`: builds, prepares the sample workspace and opens VS Code on it with the extension in it: the desktop one where
// there is one (VSCODE_EXECUTABLE, or `code` on PATH), else a VS Code server whose address is printed.
//   --port N   the server's port (default: any free one)
//   --features plays the run of a feature in the sample beside it, again and again, as another session would
//              (needs python3), and takes it away at the end
//   --smoke    opens the server's window once in a headless browser, waits for the view, and ends
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { playFeatures } from './featurePlay.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';
import { packageVsix } from './package.mjs';
import { installSampleRuntime, prepareSample } from './sample.mjs';
import { findOnPath, setupSystem } from './setupSystem.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    port: { type: 'string' },
    features: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
  },
});
const sample = await prepareSample();
const desktop = options.smoke ? undefined : findDesktop();
const sessionA = options.features ? playFeatures(sample) : undefined;
try {
  process.exitCode = desktop === undefined ? await startServer() : await startDesktop(desktop);
} finally {
  await sessionA?.end();
}

function findDesktop() {
  const { VSCODE_EXECUTABLE, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const canShow = process.platform !== 'linux' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
  return canShow ? (VSCODE_EXECUTABLE ?? findOnPath(['code', 'code.cmd', 'code-insiders'])) : undefined;
}

async function startDesktop(executable) {
  await build();
  installSampleRuntime(sample);
  console.log(`Opening ${sample} in ${executable}`);
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox', '--user-data-dir', join(root, 'out', 'desktop-user')] : [];
  const args = [`--extensionDevelopmentPath=${root}`, ...asRoot, sample];
  const code = spawn(executable, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  return await Promise.race([asked(), once(code, 'exit').then(([exitCode]) => exitCode ?? 1)]);
}

async function startServer() {
  if (!setupSystem(options.smoke ? ['host', 'browser'] : ['host'])) {
    return 1;
  }
  const vsix = await packageVsix();
  installSampleRuntime(sample);
  const { installHost } = await loadTypeScript('test/support/vscode/installHost.ts');
  await installHost('current', (line) => console.log(`VS Code server: ${line}`));
  const { ServerHost } = await loadTypeScript('test/support/vscode/serverHost.ts');
  const host = await ServerHost.create({ target: 'current', port: Number(options.port ?? 0) });
  try {
    await host.installVsix(vsix);
    await host.start();
    console.log(`\n  VS Code with Rollcall: ${host.url(sample)}\n\n  Open it in a browser; Ctrl-C ends it.`);
    return await (options.smoke ? smoke(host) : untilEnded(host));
  } finally {
    await host.stop();
  }
}

async function untilEnded(host) {
  return await Promise.race([asked(), host.ended().then(() => 1)]);
}

/** Resolves with 0 once a person asks this script to end. */
async function asked() {
  return await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map(async (signal) => once(process, signal).then(() => 0)));
}

async function smoke(host) {
  const { closeBrowser, launchBrowser, newProfile } = await loadTypeScript('test/support/vscode/browser.ts');
  const { openWorkbench } = await loadTypeScript('test/support/vscode/workbench.ts');
  const browser = await launchBrowser();
  try {
    const workbench = await openWorkbench(await newProfile(browser), host.url(sample));
    await workbench.openContainer('Workers');
    await workbench.page.locator('.part.sidebar .pane').first().waitFor();
    console.log('smoke: the Workers view is there');
    return 0;
  } finally {
    await closeBrowser(browser);
  }
}
