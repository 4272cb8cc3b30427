import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxBoxOf } from '../core/system/sandboxBox';
import { insideEnd, SandboxRun } from './sandboxRun';

describe('the end of a sandboxed worker', () => {
  it.each([
    [0, 0, { code: 0, signal: null }],
    [3, 3, { code: 3, signal: null }],
    [137, 137, { code: null, signal: 'SIGKILL' }],
    [139, 139, { code: null, signal: 'SIGSEGV' }],
    [200, 200, { code: 200, signal: null }],
    [0, null, { code: null, signal: 'SIGTERM' }],
    [1, null, { code: 1, signal: null }],
  ])('of a sandbox that says %s and a worker that says %s is %o', (outside, inside, end) => {
    expect(insideEnd({ code: outside, signal: null }, inside)).toEqual(end);
  });

  it('is known to a keeper that took over, although it cannot see how the sandbox ended', () => {
    expect(insideEnd({ code: null, signal: null }, 9)).toEqual({ code: 9, signal: null });
    expect(insideEnd({ code: null, signal: null }, null)).toEqual({ code: null, signal: null });
  });
});

describe('the place of a sandboxed run', () => {
  it('is made before the run and gone after it, with folders that stayed empty', async () => {
    const base = await mkdtemp(join(tmpdir(), 'rollcall-box-'));
    onTestFinished(async () => rm(base, { recursive: true, force: true }));
    const box = sandboxBoxOf(base, '/worker');
    const kept = join(base, 'kept');
    const used = join(base, 'used/deep');
    const unused = join(base, 'unused');
    await mkdir(kept);
    const run = new SandboxRun(base, '/worker');
    const place = { settingsFile: box.settingsFile, settings: '{}', writable: [box.tempFolder, kept, used, unused] };
    await run.prepare(place);
    expect([box.settingsFile, box.serviceFolder, box.tempFolder, used, unused].map((path) => existsSync(path))).toEqual(
      Array(5).fill(true),
    );
    await writeFile(join(used, 'x'), '');
    await writeFile(join(box.tempFolder, 'scratch'), '');
    await run.remove();
    expect([box.folder, unused, kept, used].map((path) => existsSync(path))).toEqual([false, false, true, true]);
  });
});
