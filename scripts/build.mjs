// Bundles every entry point into dist/. `--watch` rebuilds on change.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import typescript from 'typescript';
import { builtinOnce } from './builtinOnce.mjs';
import { isMain } from './isMain.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const sandboxPackage = 'node_modules/@anthropic-ai/sandbox-runtime';
/** What the sandbox finds beside its bundle. One package of the extension serves all systems; Windows has no sandbox. */
const sandboxFiles = [
  'seccomp/x64/apply-seccomp',
  'seccomp/arm64/apply-seccomp',
  'java-proxy-agent/srt-proxy-agent.jar',
];

const pluginBanner = '// Loaded by opencode, for the length of a run that Rollcall starts.';
const agentBanner =
  "// Rollcall's runtime for session agents in Node 20 or later; no dependencies. May be replaced by a newer one.";

/** Parts of dockerode that we never call: builds, sessions, and engines behind SSH, whose keys nobody would check. */
const dockerLeftOut = Object.fromEntries(
  ['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs', 'tar-fs'].map((name) => [
    name,
    './src/docker/leftOut.ts',
  ]),
);

/** The reader of cron lines is a file of its own, which the window and the command line share. */
const sharedCron = { external: ['./cron.js'], alias: { croner: './cron.js' } };

/** The programs of the product, by the name of their bundle, and what they share. */
export const entries = {
  // What VS Code and people call: launchers, which run the program behind them from its compiled form.
  extension: { entry: 'src/launcher/window.ts' },
  window: { ...sharedCron, entry: 'src/extension/extension.ts', external: ['vscode', ...sharedCron.external] },
  cli: { entry: 'src/launcher/main.ts', banner: '#!/usr/bin/env node' },
  'cli-program': { ...sharedCron, entry: 'src/cli/main.ts' },
  cron: { entry: 'node_modules/croner/dist/croner.js' },
  keeper: { entry: 'src/keeper/main.ts' },
  worker: { entry: 'src/worker/main.ts' },
  // `rollcall/agent`: imported and read by others, and copied into their projects.
  agent: { entry: 'src/agent/agent.ts', library: true, banner: agentBanner },
  // What a keeper keeps for a session agent on an engine: no window needs it.
  'engine-agent': { entry: 'src/engineAgent/main.ts' },
  // Loaded by opencode's program, which calls everything that it exports.
  'rollcall-opencode': { entry: 'src/opencodePlugin/main.ts', library: true, banner: pluginBanner },
  // A process of its own: what an engine tells of containers holds keys, and no window needs its client.
  docker: { entry: 'src/docker/main.ts', alias: dockerLeftOut },
  // A program of its own between keeper and worker: none of our bundles may hold it.
  srt: { entry: `${sandboxPackage}/dist/cli.js`, moduleUrl: true },
};

/** An ES module asks where it lies; in a CommonJS bundle the answer is the place of the bundle. */
const moduleUrlOptions = {
  define: { 'import.meta.url': 'bundleUrl' },
  banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
};

const libraryOptions = { format: 'esm', outExtension: { '.js': '.mjs' }, minify: false, sourcemap: false, plugins: [] };

/** What esbuild is told to bundle the entry `name`. */
export function bundleOptions(name) {
  const { entry, external = [], banner, moduleUrl = false, library = false, alias = {} } = entries[name];
  return {
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external,
    alias,
    minify: true,
    sourcemap: true,
    sourcesContent: true,
    legalComments: 'none',
    plugins: [builtinOnce],
    logLevel: 'warning',
    // jsonc-parser's CommonJS entry hides its requires from bundlers; its ESM entry does not.
    mainFields: ['module', 'main'],
    ...(banner ? { banner: { js: banner } } : {}),
    ...(moduleUrl ? moduleUrlOptions : {}),
    ...(library ? libraryOptions : {}),
  };
}

/** The names of the entries whose source is there. */
export function presentEntries() {
  return Object.keys(entries).filter((name) => existsSync(join(root, entries[name].entry)));
}

/** Writes all bundles anew; rejects when one does not build. */
export async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist'), { recursive: true });
  copySandboxFiles();
  writeDeclarations();
  await Promise.all(presentEntries().map(async (name) => esbuild.build(bundleOptions(name))));
}

function copySandboxFiles() {
  for (const file of sandboxFiles) {
    const target = join(root, 'dist', 'vendor', file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, sandboxPackage, 'vendor', file), target);
    chmodSync(target, 0o755);
  }
  copyFileSync(join(root, sandboxPackage, 'LICENSE'), join(root, 'dist', 'vendor', 'sandbox-runtime-license.txt'));
}

/** The types of the library: all that others may see of it is declared in its entry. */
function writeDeclarations() {
  const source = readFileSync(join(root, entries.agent.entry), 'utf8');
  const compilerOptions = { target: typescript.ScriptTarget.ES2023, module: typescript.ModuleKind.ESNext };
  const { outputText } = typescript.transpileDeclaration(source, { compilerOptions });
  writeFileSync(join(root, 'dist', 'agent.d.mts'), `${agentBanner}\n${outputText}`);
}

async function watch() {
  for (const name of presentEntries()) {
    const context = await esbuild.context(bundleOptions(name));
    await context.watch();
  }
}

if (isMain(import.meta.url)) {
  await (process.argv.includes('--watch') ? watch() : build());
}
