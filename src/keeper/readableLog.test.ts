import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReadableLog } from './readableLog';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall log '));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function open(): ReadableLog {
  const limits = { rawBytes: 1_000, logBytes: 200, logFiles: 50 };
  return new ReadableLog({ path: join(folder, 'worker.log'), limits, keepsFile: false, onTurn: () => undefined });
}

function linesOf(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_none, index) => `line ${String(from + index).padStart(4, '0')}\n`);
}

/** All that the logs say, oldest first. */
function written(): string {
  const age = (name: string): number => Number(name.slice('worker.log.'.length));
  const files = readdirSync(folder).sort((a, b) => age(b) - age(a));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}

describe('a log that another keeper goes on with', () => {
  // 20 lines fill a file: the position is from up to six turn-overs ago, and the newest file is larger and smaller than it says.
  it.each([0, 1, 5, 19, 20, 21, 35, 39, 40, 45, 70, 119])(
    'has no line twice, %i lines behind the recorded position',
    (more) => {
      const first = open();
      linesOf(0, 8).forEach((line) => first.append(line));
      const position = { logBytes: first.derivedSize, logInode: first.inode };
      linesOf(8, 8 + more).forEach((line) => first.append(line));
      first.close();

      const second = open();
      second.skipWhatIsThere(position);
      linesOf(8, 150).forEach((line) => second.append(line));
      second.close();
      expect(written()).toBe(linesOf(0, 150).join(''));
    },
  );

  it('goes on by the size alone where an older keeper left no number of the file', () => {
    const first = open();
    linesOf(0, 15).forEach((line) => first.append(line));
    const position = { logBytes: first.derivedSize };
    linesOf(15, 25).forEach((line) => first.append(line));
    first.close();

    const second = open();
    second.skipWhatIsThere(position);
    linesOf(15, 40).forEach((line) => second.append(line));
    second.close();
    expect(written()).toBe(linesOf(0, 40).join(''));
  });
});
