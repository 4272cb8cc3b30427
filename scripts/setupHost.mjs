// Installs the VS Code server hosts that the tests run on. `node scripts/setupHost.mjs [current] [oldest]`
import { isMain } from './isMain.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';

const started = performance.now();

/** Installs the hosts of `targets` (default: both), one after the other, and resolves with where their parts are. */
export async function setupHosts(targets = ['current', 'oldest']) {
  const { installHost } = await loadTypeScript('test/support/vscode/installHost.ts');
  const hosts = [];
  for (const target of targets) {
    hosts.push(await installHost(target, (line) => console.log(`${elapsed()} ${target}: ${line}`)));
  }
  return hosts;
}

function elapsed() {
  return `[${((performance.now() - started) / 1000).toFixed(1)} s]`;
}

if (isMain(import.meta.url)) {
  const targets = process.argv.slice(2);
  const hosts = await setupHosts(targets.length > 0 ? targets : undefined);
  console.log(hosts.map((host) => host.folder).join('\n'));
}
