import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { playFeatures } from '../../scripts/featurePlay.mjs';
import { installSampleRuntime, prepareSample } from '../../scripts/sample.mjs';
import { endKeepersOf } from '../support/endKeepersOf';
import { startCli } from '../support/runCli';
import { tempProject } from '../support/tempProject';

describe('preparing the sample workspace', () => {
  it('starts without any worker, so that the first one is the person’s own', async () => {
    const sample = await prepareSample(join(await tempProject(), 'sample'));
    expect((await readdir(join(sample, '.keysarium'))).sort()).toEqual(['exports', 'memory']);
  });

  it('repairs what is missing and keeps what a person changed', async () => {
    const sample = await prepareSample(await tempProject());
    await writeFile(join(sample, 'CLAUDE.md'), 'mine');
    await writeFile(join(sample, 'README.md'), '');
    await mkdir(join(sample, '.keysarium/workers'));
    await prepareSample(sample);
    expect(await readFile(join(sample, 'CLAUDE.md'), 'utf8')).toBe('mine');
    expect(await readdir(join(sample, '.keysarium'))).toContain('workers');
  });

  it('starts over only when asked, and only in a folder that it made', async () => {
    const sample = await prepareSample(await tempProject());
    await writeFile(join(sample, 'CLAUDE.md'), 'mine');
    await prepareSample(sample, { fresh: true });
    expect(await readFile(join(sample, 'CLAUDE.md'), 'utf8')).toContain('# Harborlight');

    const foreign = await tempProject({ 'thesis.md': 'ten years of work' });
    await expect(prepareSample(foreign, { fresh: true })).rejects.toThrow('was not made by this script');
    expect(await readdir(foreign)).toEqual(['thesis.md']);
  });
});

describe('the sample’s own worker type nightly-tests', () => {
  async function startNightly(paceMs: number) {
    const sample = await prepareSample(await tempProject());
    const folder = join(sample, '.keysarium/workers/wkr-20260301-143022-nightly-tests');
    await mkdir(join(folder, 'output'), { recursive: true });
    const child = spawn(process.execPath, ['scripts/nightly-tests.mjs'], {
      cwd: sample,
      env: {
        PATH: process.env['PATH'],
        ROLLCALL_PACE_MS: `${paceMs}`,
        ROLLCALL_WORKER_ID: 'wkr-20260301-143022-nightly-tests',
        ROLLCALL_WORKER_DIR: folder,
        ROLLCALL_OUTPUT_DIR: join(folder, 'output'),
        ROLLCALL_STOP_FLAG: join(folder, 'stop-requested'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stdout)]);
    return { folder, ended, status: async () => readFile(join(folder, 'status.json'), 'utf8').catch(() => '{}') };
  }

  it('runs every test once and reports the real total', async () => {
    const { folder, ended, status } = await startNightly(0);
    const [[code], log] = await ended;
    expect(code).toBe(0);
    expect(log).toContain('All 32 tests passed.');
    expect(log.match(/^\[\d+\/32\] passed/gm)).toHaveLength(32);
    expect(JSON.parse(await status())).toMatchObject({
      status: 'completed',
      progress: { items_processed: 32, total_items: 32 },
    });
    expect(JSON.parse(await readFile(join(folder, 'output/test-report.json'), 'utf8'))).toMatchObject({ total: 32 });
  });

  it('stops between tests once it is asked to', async () => {
    const { folder, ended, status } = await startNightly(500);
    const processed = async (): Promise<number> => {
      const { progress } = JSON.parse(await status()) as { progress?: { items_processed: number } };
      return progress?.items_processed ?? 0;
    };
    await expect.poll(processed, { timeout: 60_000 }).toBeGreaterThan(0);
    await writeFile(join(folder, 'stop-requested'), '');
    const [[code], log] = await ended;
    expect(code).toBe(0);
    expect(log).toContain('Stopped as asked after');
    expect(JSON.parse(await status())).toMatchObject({ status: 'stopped' });
  });
});

describe('the run of a feature that is played in the sample', () => {
  it('leaves nothing of itself behind when it ends', async () => {
    const sample = await prepareSample(await tempProject());
    const before = (await readdir(sample)).sort();
    const play = playFeatures(sample);
    onTestFinished(() => void play.player.kill('SIGKILL'));
    const states = async (): Promise<readonly string[]> => readdir(join(sample, '.zerg/state')).catch(() => []);
    await expect.poll(states, { timeout: 60_000 }).toContain('user-auth.json');
    await play.end();
    expect(play.player.signalCode).toBe('SIGTERM');
    expect((await readdir(sample)).sort()).toEqual(before);
  });
});

describe('the sample’s session agent', () => {
  it('takes a task, asks a person, and finishes with the answer', async () => {
    const sample = await prepareSample(await tempProject());
    installSampleRuntime(sample);
    onTestFinished(async () => endKeepersOf(sample));
    // Pipe names of its own, so that no other session of this machine meets it.
    const env = { ...process.env, TMPDIR: await tempProject() };
    const rollcall = async (...args: readonly string[]): Promise<string> =>
      (await startCli(sample, args, { env }).ended).stdout;
    const session = startCli(sample, ['session', 'start'], { env });
    await session.printed('The session has started');

    const task = JSON.stringify({ taskId: 'heatmap', title: 'Depot heatmap' });
    await rollcall('send', '--to', 'developer', '--type', 'WorkAssign', '--payload', task);
    await expect.poll(async () => rollcall('inbox'), { timeout: 60_000 }).toContain('Depot heatmap');
    const { inbox } = JSON.parse(await rollcall('inbox', '--json')) as { inbox: readonly { readonly id: string }[] };
    await rollcall('inbox', 'answer', inbox[0]?.id ?? 'nothing', 'the harbor depot');
    const log = async (): Promise<string> => rollcall('logs', 'developer');
    await expect.poll(log, { timeout: 60_000 }).toContain('Going on with: the harbor depot');
    session.child.kill('SIGINT');
    expect((await session.ended).stderr).toContain('Stopping developer');
  });
});
