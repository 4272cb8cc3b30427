// Prepares the sample workspace: `node scripts/sample.mjs [--fresh] [folder]`, by default into ./sample. Files that are
// already there are kept, so a person's own changes survive; `--fresh` starts over. Needs a build for the sample's agent.
import { execFileSync } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, copyFile, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMain } from './isMain.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const template = join(project, 'test/fixtures/sample-project');
const marker = '.rollcall-sample';
const DAY_MS = 86_400_000;

// A checkout gives every file today's date; the health check's view of what is fresh needs a project with a past.
const ageInDays = [
  ['researches/cargo-bikes/', 24],
  ['researches/voice-picking/', 9],
  ['researches/reusable-packaging/', 33],
  ['researches/evening-delivery/', 21],
  ['researches/parcel-lockers/', 61],
  ['researches/cold-chain-sensors/', 88],
  ['TOOLKIT_HARVEST.md', 6],
  ['.keysarium/exports/', 5],
];

async function exists(path) {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

async function removeOldSample(folder) {
  if (!(await exists(folder))) {
    return;
  }
  if (!(await exists(join(folder, marker))) && (await readdir(folder)).length > 0) {
    throw new Error(`${folder} was not made by this script and is not removed. Choose another folder.`);
  }
  await rm(folder, { recursive: true, force: true });
}

async function addFile(from, folder, now) {
  const name = relative(template, from).replaceAll('\\', '/');
  const to = join(folder, name);
  if (await exists(to)) {
    return;
  }
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  const days = ageInDays.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 1;
  const when = new Date(now - days * DAY_MS);
  await utimes(to, when, when);
}

/** Makes `folder` a sample project, adding only what is missing; `fresh` removes an older sample first. Returns its path. */
export async function prepareSample(folder = join(project, 'sample'), { fresh = false } = {}) {
  const path = resolve(folder);
  if (fresh) {
    await removeOldSample(path);
  }
  await mkdir(path, { recursive: true });
  const now = Date.now();
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    await addFile(join(entry.parentPath, entry.name), path, now);
  }
  await writeFile(join(path, marker), 'Made by scripts/sample.mjs; its --fresh removes this folder.\n');
  return path;
}

/** Gives the sample's agent the runtime of the last build; without one it says what to do. */
export function installSampleRuntime(path) {
  const cli = join(project, 'dist', 'cli.js');
  if (existsSync(cli)) {
    execFileSync(process.execPath, [cli, 'agent', 'install', 'node', '--cwd', path]);
  } else {
    console.log('Its agent has no runtime yet: run npm run build, then this script again.');
  }
}

if (isMain(import.meta.url)) {
  const [folder] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const path = await prepareSample(folder, { fresh: process.argv.includes('--fresh') });
  installSampleRuntime(path);
  console.log(`Sample workspace: ${path}`);
}
