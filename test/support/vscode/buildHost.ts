import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { findOnPath } from '../../../scripts/setupSystem.mjs';
import type { HostTarget } from './hostTargets';
import { runTool } from './runTool';

/** Operating system and processor in npm's words, for example `linux-x64`. */
export const platform = `${process.platform}-${process.arch}`;

const supportedPlatforms = ['linux-x64', 'linux-arm64'];

/** Dependencies of the server that no test needs and that are most of its size: chat, agents, Kerberos, Windows. */
const droppedDependencies = [
  '@devcontainers/cli',
  '@github/copilot-sdk',
  '@microsoft/mxc-sdk',
  '@vscode/copilot-api',
  '@vscode/sandbox-runtime',
  '@vscode/sqlite3',
  '@vscode/windows-process-tree',
  '@vscode/windows-registry',
  'kerberos',
  'ssh2',
];
const droppedExtensions = ['copilot', 'mermaid-markdown-features', 'microsoft-authentication', 'tunnel-forwarding'];

/** What to build, where, and who is told about it. */
export interface BuildHostOptions {
  readonly target: HostTarget;
  readonly into: string;
  readonly say: (line: string) => void;
}

/** Paths in the built folder, relative to it. */
interface BuiltHost {
  readonly node: string;
  readonly vscode: string;
}

/** Downloads, compiles and prunes a VS Code server in `into`. Needs tar, g++, make, python3 (and rg for the oldest target). */
export async function buildHost({ target, into, say }: BuildHostOptions): Promise<BuiltHost> {
  if (!supportedPlatforms.includes(platform)) {
    throw new Error(
      `there is no VS Code server host for ${platform}: set VSCODE_EXECUTABLE to a desktop VS Code instead`,
    );
  }
  writeFileSync(
    join(into, 'package.json'),
    JSON.stringify({ name: 'rollcall-test-host', version: '1.0.0', private: true }),
  );
  say('downloading');
  const [wrapper, nodeFolder] = await Promise.all([
    download({ into, name: 'code-server', version: target.codeServer, target }),
    download({ into, name: `node-${platform}`, version: target.node, target }),
  ]);
  const node = join(nodeFolder, 'bin', 'node');
  const vscode = join(wrapper, 'lib', 'vscode');
  dropUnneeded(vscode);
  await installDependencies(vscode, join(nodeFolder, 'bin'), say);
  say(`compiling ${target.compile.join(', ')}`);
  await Promise.all(target.compile.map(async (name) => compile(vscode, name, nodeFolder)));
  bringRipgrep(vscode);
  // The page asks for node_modules.asar/…, which only the desktop build packs.
  symlinkSync('node_modules', join(vscode, 'node_modules.asar'));
  prune(vscode, wrapper, nodeFolder);
  say('checking that it starts');
  await runTool(node, [join(vscode, 'out', 'server-main.js'), '--version'], { env: npmEnv() });
  return { node: relative(into, node), vscode: relative(into, vscode) };
}

interface Download {
  readonly into: string;
  readonly name: string;
  readonly version: string;
  readonly target: HostTarget;
}

async function download({ into, name, version, target }: Download): Promise<string> {
  const packed = join(into, `pack-${name}`);
  const unpacked = join(into, name);
  mkdirSync(packed);
  mkdirSync(unpacked);
  const args = ['pack', `${name}@${version}`, '--ignore-scripts', '--pack-destination', packed];
  await runTool('npm', args, { cwd: packed, env: npmEnv() });
  const file = join(packed, readdirSync(packed)[0] ?? '');
  const checksum = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  const pinned = target.integrity[name];
  if (pinned !== undefined && pinned !== checksum) {
    throw new Error(`${name}@${version} is not the pinned file (${checksum}): do not run it`);
  }
  await runTool('tar', ['-xzf', file, '-C', unpacked, '--strip-components=1', '--no-same-owner']);
  rmSync(packed, { recursive: true });
  return unpacked;
}

interface PackageFile {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  overrides?: unknown;
}

interface LockFile {
  name: string;
  version: string;
  packages: { '': PackageFile };
}

function dropUnneeded(vscode: string): void {
  const manifestPath = join(vscode, 'package.json');
  const lockPath = join(vscode, 'npm-shrinkwrap.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as PackageFile;
  const lock = JSON.parse(readFileSync(lockPath, 'utf8')) as LockFile;
  const kept = Object.entries(manifest.dependencies).filter(([name]) => !droppedDependencies.includes(name));
  // The overrides are applied in the lock file already, and name packages that are dropped here.
  delete manifest.overrides;
  manifest.dependencies = Object.fromEntries(kept);
  const { name, version } = manifest;
  lock.packages[''] = { ...lock.packages[''], name, version, dependencies: keptIn(lock.packages['']) };
  writeFileSync(manifestPath, JSON.stringify(manifest));
  writeFileSync(lockPath, JSON.stringify({ ...lock, name, version }));
  for (const extension of droppedExtensions) {
    rmSync(join(vscode, 'extensions', extension), { recursive: true, force: true });
  }
}

function keptIn({ dependencies }: PackageFile): Record<string, string> {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !droppedDependencies.includes(name)));
}

async function installDependencies(vscode: string, nodeBin: string, say: (line: string) => void): Promise<void> {
  const flags = ['--omit=dev', '--ignore-scripts'];
  say('installing the dependencies of the server');
  // Without legacy-peer-deps npm calls the lock file of the oldest target incomplete.
  await runTool('npm', ['ci', ...flags, '--legacy-peer-deps'], { cwd: vscode, env: npmEnv(nodeBin) });
  say('installing the dependencies of its built-in extensions');
  await runTool('npm', ['install', ...flags], { cwd: join(vscode, 'extensions'), env: npmEnv(nodeBin) });
}

async function compile(vscode: string, name: string, nodeFolder: string): Promise<void> {
  const env = { ...npmEnv(join(nodeFolder, 'bin')), npm_config_jobs: 'max' };
  const args = ['rebuild', `--nodedir=${nodeFolder}`, '--foreground-scripts', name];
  // An old node-pty builds well and then fails in its own postinstall: what counts is the binary.
  const failure = await runTool('npm', args, { cwd: vscode, env }).then(
    () => '',
    (error: unknown) => String(error),
  );
  const release = join(vscode, 'node_modules', name, 'build', 'Release');
  if (!existsSync(release) || !readdirSync(release).some((file) => file.endsWith('.node'))) {
    throw new Error(`${name} was not built. It needs g++, make and python3 (run scripts/setupSystem.mjs).\n${failure}`);
  }
}

/** The oldest target's ripgrep package downloads its binary from elsewhere when installed: the system's serves as well. */
function bringRipgrep(vscode: string): void {
  const folder = join(vscode, 'node_modules', '@vscode', 'ripgrep');
  if (!existsSync(folder)) {
    return;
  }
  const found = findOnPath(['rg']);
  if (found === undefined) {
    throw new Error('rg is not on PATH: file search would fail in this host (run scripts/setupSystem.mjs)');
  }
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(realpathSync(found), join(folder, 'bin', 'rg'));
}

function prune(vscode: string, wrapper: string, nodeFolder: string): void {
  const modules = join(vscode, 'node_modules');
  keepOnly(join(modules, '@vscode', 'ripgrep-universal', 'bin'), [platform]);
  keepOnly(join(modules, 'node-pty', 'prebuilds'), [platform]);
  const unused = [
    join(modules, 'node-pty', 'third_party'),
    join(modules, 'node-pty', 'deps'),
    // The HTTP wrapper around the server: the tests talk to the server itself.
    ...['out', 'src', 'node_modules', 'ThirdPartyNotices.txt'].map((name) => join(wrapper, name)),
    ...['share', 'include', 'CHANGELOG.md'].map((name) => join(nodeFolder, name)),
  ];
  for (const path of unused) {
    rmSync(path, { recursive: true, force: true });
  }
}

function keepOnly(folder: string, names: readonly string[]): void {
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  for (const entry of entries.filter((name) => !names.includes(name))) {
    rmSync(join(folder, entry), { recursive: true, force: true });
  }
}

/** Under `npm test` npm exports its settings; those that point at the calling project must not leak into another npm. */
function npmEnv(firstOnPath?: string): NodeJS.ProcessEnv {
  const leaking =
    /^(npm_(package|lifecycle|command|execpath|node_execpath).*|npm_config_(prefix|local_prefix|global|workspaces?|omit|include|nodedir)|INIT_CWD)$/;
  const own = Object.entries(process.env).filter(([name]) => !leaking.test(name));
  const quiet = {
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
  };
  const env: NodeJS.ProcessEnv = { ...Object.fromEntries(own), ...quiet, npm_config_engine_strict: 'false' };
  return firstOnPath === undefined ? env : { ...env, PATH: `${firstOnPath}${delimiter}${env['PATH'] ?? ''}` };
}
