import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundledProgram } from '../support/bundledProgram';

const launcher = bundledProgram('src/launcher/runProgram.ts');
const PROGRAM = `const { basename } = require('node:path');
const twice = (n) => n * 2;
console.log(basename(__filename), typeof __dirname, typeof module.exports, twice(21), process.argv.slice(2).join());`;
const SAID = 'program.js string object 42 a,b\n';

let folder: string;
let privateDir: string;
let compiled: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rc-launch-'));
  privateDir = join(folder, 'private');
  compiled = join(privateDir, 'program.code');
  mkdirSync(privateDir, { mode: 0o700 });
  writeFileSync(join(folder, 'program.js'), PROGRAM);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What the program says when it is launched from `node -e`, whose own arguments end with the two paths. */
function run(): string {
  const order = `const [, file, dir] = process.argv;
    process.argv = ['node', file, 'a', 'b'];
    require(${JSON.stringify(launcher.path())}).runProgram(file, dir, require);`;
  return execFileSync(process.execPath, ['-e', order, join(folder, 'program.js'), privateDir], { encoding: 'utf8' });
}

it('a program says the same from its text and from its compiled form, which the first run leaves', () => {
  expect(run()).toBe(SAID);
  const { mtimeMs } = statSync(compiled);
  expect(run()).toBe(SAID);
  expect(statSync(compiled).mtimeMs).toBe(mtimeMs);
});

it('a torn compiled form is not run, and is made again', () => {
  run();
  const whole = statSync(compiled).size;
  truncateSync(compiled, whole - 100);
  expect(run()).toBe(SAID);
  expect(statSync(compiled).size).toBeGreaterThan(whole - 100);
});

it('the compiled form of an older program is not run', () => {
  run();
  writeFileSync(join(folder, 'program.js'), `${PROGRAM} console.log('newer');`);
  expect(run()).toBe(`${SAID}newer\n`);
  expect(run()).toBe(`${SAID}newer\n`);
});
