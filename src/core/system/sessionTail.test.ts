import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSessionTail } from './sessionTail';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall session '));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const ID = '01a22eff-87ab-7e53-9dd8-494b7f2bf3ff';

function write(day: string, name: string, text: string): void {
  mkdirSync(join(folder, day), { recursive: true });
  writeFileSync(join(folder, day, name), text);
}

describe('the file that a program keeps of a session', () => {
  it('is found by the session, the newest day first, and read from its end', async () => {
    write('2025/12/31', `rollout-1-${ID}.jsonl`, 'of an earlier year');
    write('2026/03/01', `rollout-2-${ID}.jsonl`, 'first\nlast\n');
    write('2026/03/02', 'rollout-3-another.jsonl', 'of another session');
    expect(await readSessionTail(folder, ID)).toBe('first\nlast\n');
    expect(await readSessionTail(folder, ID, 5)).toBe('last\n');
  });

  it('is none where there is no such folder, file or id', async () => {
    write('2026/03/01', 'rollout-1-another.jsonl', 'x');
    expect(await readSessionTail(folder, ID)).toBeNull();
    expect(await readSessionTail(join(folder, 'none'), ID)).toBeNull();
    write('2026/03/01', '.jsonl', 'x');
    expect(await readSessionTail(folder, '')).toBeNull();
    expect(await readSessionTail(folder, '../../another')).toBeNull();
  });
});
