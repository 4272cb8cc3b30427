import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHost, platform } from './buildHost';
import { exclusively } from './exclusively';
import { hostCacheFolder, hostTargets, type HostTargetName } from './hostTargets';

/** Raised whenever the steps of buildHost change, so that no run uses a host built by other steps. */
const recipe = 1;

/** Where the parts of an installed VS Code server host are. */
export interface InstalledHost {
  readonly folder: string;
  /** The Node binary that the server runs on. */
  readonly node: string;
  readonly serverMain: string;
  /** Version of VS Code. */
  readonly version: string;
}

/**
 * The VS Code server host of `target`, built from the npm registry alone when the cache has none yet (about 15 s, 350 MB).
 * Safe to call from many processes at once: one builds, the others wait for it.
 */
export async function installHost(
  target: HostTargetName,
  say: (line: string) => void = () => undefined,
): Promise<InstalledHost> {
  const folder = hostFolder(target);
  return (
    findHost(folder) ??
    (await exclusively(`rollcall-host-${sha256(folder)}`, async () => {
      const ready = findHost(folder);
      return ready ?? (await build(target, folder, say));
    }))
  );
}

async function build(target: HostTargetName, folder: string, say: (line: string) => void): Promise<InstalledHost> {
  removeLeftovers(folder);
  const unfinished = await mkdtemp(`${folder}.tmp-`);
  try {
    say(`building the VS Code ${hostTargets[target].vscode} test host`);
    const { node, vscode } = await buildHost({ target: hostTargets[target], into: unfinished, say });
    const ready = { node, serverMain: join(vscode, 'out', 'server-main.js'), version: hostTargets[target].vscode };
    writeFileSync(join(unfinished, 'ready.json'), JSON.stringify(ready));
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  const host = findHost(folder);
  if (host === undefined) {
    throw new Error(`the test host in ${folder} is not complete: remove the folder and run again`);
  }
  say(`ready in ${folder}`);
  return host;
}

function hostFolder(target: HostTargetName): string {
  const { vscode, node } = hostTargets[target];
  const cache = hostCacheFolder(process.env);
  mkdirSync(cache, { recursive: true });
  return join(cache, `vscode-${vscode}-node-${node}-${platform}-r${String(recipe)}`);
}

/** The lock is ours, so whatever unfinished build is left belongs to a run that was killed. */
function removeLeftovers(folder: string): void {
  const cache = join(folder, '..');
  for (const name of readdirSync(cache)) {
    if (join(cache, name).startsWith(`${folder}.tmp-`)) {
      rmSync(join(cache, name), { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

function findHost(folder: string): InstalledHost | undefined {
  if (!existsSync(join(folder, 'ready.json'))) {
    return undefined;
  }
  const ready = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')) as Omit<InstalledHost, 'folder'>;
  const host = { ...ready, folder, node: join(folder, ready.node), serverMain: join(folder, ready.serverMain) };
  accessSync(host.node, constants.X_OK);
  accessSync(host.serverMain);
  return host;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
