import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRoot } from './findRoot';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'rollcall root ✓ '));
  mkdirSync(join(base, 'a', 'b', 'c'), { recursive: true });
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

test.each(['.keysarium', '.zerg', '.gsd'])('the nearest folder with %s above is the root', async (mark) => {
  mkdirSync(join(base, mark));
  mkdirSync(join(base, 'a', mark));
  expect(await findRoot(join(base, 'a', 'b', 'c'))).toBe(join(base, 'a'));
});

test('the files .keysarium.json and .vscode/workers.json mark a root too', async () => {
  writeFileSync(join(base, 'a', '.keysarium.json'), '{}');
  expect(await findRoot(join(base, 'a', 'b'))).toBe(join(base, 'a'));
  mkdirSync(join(base, 'a', 'b', '.vscode'));
  writeFileSync(join(base, 'a', 'b', '.vscode', 'workers.json'), '{}');
  expect(await findRoot(join(base, 'a', 'b', 'c'))).toBe(join(base, 'a', 'b'));
});

test('.claude never decides; a protocol folder wins over a nearer git top level', async () => {
  mkdirSync(join(base, '.keysarium'));
  mkdirSync(join(base, 'a', '.git'));
  mkdirSync(join(base, 'a', 'b', '.claude'));
  expect(await findRoot(join(base, 'a', 'b', 'c'))).toBe(base);
});

test('without a protocol folder the git top level is the root, and without git the start itself', async () => {
  expect(await findRoot(join(base, 'a', 'b'))).toBe(join(base, 'a', 'b'));
  mkdirSync(join(base, 'a', '.git'));
  expect(await findRoot(join(base, 'a', 'b'))).toBe(join(base, 'a'));
});
