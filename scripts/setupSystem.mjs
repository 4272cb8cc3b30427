// Finds the system programs that the tests and the server host need. As root on a machine with apt it installs what is
// missing and says so; anywhere else it says what to install and exits 1. `node scripts/setupSystem.mjs [PURPOSE…]`
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isMain } from './isMain.mjs';

const suffix = process.platform === 'win32' ? '.exe' : '';
const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** What each program is for (on one platform, where it is named), its names on PATH, and the Debian packages with it. */
const programs = [
  {
    names: chromiumNames,
    env: 'CHROMIUM_EXECUTABLE',
    // The second font has the symbols of a run's steps.
    packages: ['chromium', 'fonts-liberation', 'fonts-noto-color-emoji'],
    purposes: ['browser'],
  },
  { names: ['g++'], packages: ['g++'], purposes: ['host'] },
  { names: ['make'], packages: ['make'], purposes: ['host'] },
  { names: ['python3'], packages: ['python3'], purposes: ['host'] },
  { names: ['tar'], packages: ['tar'], purposes: ['host'] },
  { names: ['faketime'], packages: ['faketime'], purposes: ['clock'], platform: 'linux' },
  { names: ['rg'], packages: ['ripgrep'], purposes: ['host', 'sandbox'] },
  { names: ['bwrap'], packages: ['bubblewrap'], purposes: ['sandbox'], platform: 'linux' },
  { names: ['dockerd'], packages: ['docker.io'], purposes: ['docker'], platform: 'linux' },
  { names: ['docker'], packages: ['docker.io'], purposes: ['docker'], platform: 'linux' },
  { names: ['busybox'], packages: ['busybox-static'], purposes: ['docker'], platform: 'linux' },
  { names: ['socat'], packages: ['socat'], purposes: ['sandbox'], platform: 'linux' },
];

/** The path of the first of `names` found on PATH, or undefined. */
export function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, `${name}${suffix}`))).find(isExecutable);
}

/** The path of a Chromium or Chrome (CHROMIUM_EXECUTABLE first), or undefined. */
export function findChromium() {
  return process.env.CHROMIUM_EXECUTABLE ?? findOnPath(chromiumNames);
}

/** True when every program for `purposes` ('browser', 'host', 'sandbox') is there now, installed by this call or before it. */
export function setupSystem(purposes = ['browser', 'host', 'sandbox'], say = console.log) {
  const missing = missingPrograms(purposes);
  if (missing.length === 0) {
    return true;
  }
  const packages = [...new Set(missing.flatMap((program) => program.packages))];
  const wanted = missing.map((program) => program.names[0]).join(', ');
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || findOnPath(['apt-get']) === undefined) {
    say(`missing: ${wanted}. ${installAdvice(packages)}`);
    return false;
  }
  say(`missing: ${wanted}. Installing the Debian packages ${packages.join(' ')} …`);
  if (!aptGet(['update']) || !aptGet(['install', '-y', '--no-install-recommends', ...packages])) {
    say(`apt-get failed. ${installAdvice(packages)}`);
    return false;
  }
  const left = missingPrograms(purposes);
  say(
    left.length === 0 ? `installed: ${packages.join(' ')}` : `still missing: ${left.map((p) => p.names[0]).join(', ')}`,
  );
  return left.length === 0;
}

function missingPrograms(purposes) {
  return programs
    .filter((program) => program.purposes.some((purpose) => purposes.includes(purpose)))
    .filter((program) => (program.platform ?? process.platform) === process.platform)
    .filter((program) => !(program.env !== undefined && isExecutable(process.env[program.env])))
    .filter((program) => findOnPath(program.names) === undefined);
}

function installAdvice(packages) {
  return process.platform === 'linux'
    ? `Install them and run this again: sudo apt-get install -y ${packages.join(' ')}`
    : `Install ${packages.join(', ')} (or what brings these programs on this system) and run this again.`;
}

function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], { env, encoding: 'utf8' });
  if (run.status !== 0) {
    console.error(`${run.stdout ?? ''}${run.stderr ?? ''}`.slice(-3000));
  }
  return run.status === 0;
}

function isExecutable(path) {
  if (path === undefined) {
    return false;
  }
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run: either way it is not a program that we can use.
    return false;
  }
}

if (isMain(import.meta.url)) {
  const purposes = process.argv.slice(2);
  process.exitCode = setupSystem(purposes.length > 0 ? purposes : undefined) ? 0 : 1;
}
