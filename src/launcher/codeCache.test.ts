import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeCacheFor } from './codeCache';

let folder: string;
let cacheDir: string;
let program: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rc-code-'));
  cacheDir = join(folder, 'private');
  mkdirSync(cacheDir, { mode: 0o700 });
  program = join(folder, 'program.js');
  writeFileSync(program, 'exports.answer = 1;');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const CODE = Buffer.from('compiled\nform');

describe('the compiled form of a program', () => {
  it('comes back as it was kept', () => {
    codeCacheFor(program, cacheDir).write(CODE);
    expect(codeCacheFor(program, cacheDir).read()).toEqual(CODE);
    expect(readdirSync(cacheDir)).toEqual(['program.code']);
  });

  it('is not used for a program that changed since', () => {
    codeCacheFor(program, cacheDir).write(CODE);
    writeFileSync(program, 'exports.answer = 2; // now');
    expect(codeCacheFor(program, cacheDir).read()).toBeUndefined();
  });

  it('is not used for another installation', () => {
    codeCacheFor(program, cacheDir).write(CODE);
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'program.js'), 'exports.answer = 1;');
    expect(codeCacheFor(join(folder, 'other', 'program.js'), cacheDir).read()).toBeUndefined();
  });

  it.each([
    [
      'that others can write to',
      () => {
        chmodSync(cacheDir, 0o777);
      },
    ],
    [
      'that is a link',
      () => {
        symlinkSync(cacheDir, join(folder, 'link'));
      },
    ],
    ['that is not there', () => undefined],
  ])('is neither kept nor used in a folder %s', (what, prepare) => {
    codeCacheFor(program, cacheDir).write(CODE);
    prepare();
    const dir = join(folder, { 'that is a link': 'link', 'that is not there': 'absent' }[what] ?? 'private');
    const cache = codeCacheFor(program, dir);
    cache.write(Buffer.from('other'));
    expect(cache.read()).toBeUndefined();
    expect(readdirSync(cacheDir)).toEqual(['program.code']);
  });

  it('is not used from a folder of somebody else', () => {
    codeCacheFor(program, cacheDir).write(CODE);
    expect(codeCacheFor(program, cacheDir, 12_345).read()).toBeUndefined();
  });
});
