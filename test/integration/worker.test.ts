import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareSample } from '../../scripts/sample.mjs';
import { readStatus, startBuiltin, watchStatus } from '../support/builtinWorker';
import { bundledProgram } from '../support/bundledProgram';
import { tempProject } from '../support/tempProject';

const ID = 'wkr-20260301-143022-health-check';
const worker = bundledProgram('src/worker/main.ts');

async function start(root: string, options: { readonly type?: string; readonly paceMs?: number } = {}) {
  return startBuiltin({ script: worker.path(), root, type: 'health-check', id: ID, ...options });
}

async function runToEnd(root: string, type?: string) {
  const { folder, ended } = await start(root, type === undefined ? {} : { type });
  return { folder, ...(await ended) };
}

async function readReport(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, 'output/health-report.json'), 'utf8')) as Record<string, unknown>;
}

/** All files of a project outside the worker's folder, with content and change time. */
async function contentOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes(ID));
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return `${path} ${(await lstat(path)).mtimeMs} ${await readFile(path, 'base64')}`;
    }),
  );
}

async function sampleProject(): Promise<string> {
  return prepareSample(join(await tempProject(), 'sample'));
}

describe('a health check on the sample workspace', () => {
  it('writes the report of the protocol and finds what is planted there', async () => {
    const { code, folder, log } = await runToEnd(await sampleProject());
    expect(code).toBe(0);
    const report = await readReport(folder);
    expect(Object.keys(report)).toEqual(['generated_at', 'worker_id', 'summary', 'checks', 'recommendations']);
    expect(report['summary']).toEqual({
      total_checks: 6,
      passed: 4,
      warnings: 2,
      failures: 0,
      overall_status: 'healthy',
    });
    expect(log).toContain('data-freshness: warn — cargo-bikes is open and untouched for 24 days');
    expect(log).toContain('witness-chain: warn — parcel-lockers is complete and has no witness chain (and 2 more)');
    expect(log.match(/^\[\d\/6\] /gm)).toEqual(['[1/6] ', '[2/6] ', '[3/6] ', '[4/6] ', '[5/6] ', '[6/6] ']);
  });

  it('ends with the seven keys of status.json in their order', async () => {
    const { folder } = await runToEnd(await sampleProject());
    const status = await readStatus(folder);
    expect(Object.keys(status)).toEqual([
      'worker_id',
      'type',
      'status',
      'started_at',
      'completed_at',
      'progress',
      'error',
    ]);
    expect(status).toMatchObject({
      worker_id: ID,
      type: 'health-check',
      status: 'completed',
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      progress: { phase: 'completed', items_processed: 6, total_items: 6 },
      error: null,
    });
  });

  it('changes nothing outside its own folder', async () => {
    const root = await sampleProject();
    const before = await contentOf(root);
    await runToEnd(root);
    expect(await contentOf(root)).toEqual(before);
  });

  it('gives the same findings each time', async () => {
    const root = await sampleProject();
    const first = await readReport((await runToEnd(root)).folder);
    const second = await readReport((await runToEnd(root)).folder);
    expect(second['checks']).toEqual(first['checks']);
  });

  it('keeps the start time that the keeper wrote before the spawn', async () => {
    const root = await sampleProject();
    const folder = join(root, '.keysarium/workers', ID);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'status.json'), '{"status":"running","started_at":"2026-03-01T14:30:22Z"}');
    await runToEnd(root);
    expect(await readStatus(folder)).toMatchObject({ started_at: '2026-03-01T14:30:22Z' });
  });
});

describe('a running health check', () => {
  it('lets a reader see whole documents only, with progress that grows', async () => {
    const run = await start(await sampleProject(), { paceMs: 100 });
    const seen = await watchStatus(run);
    const processed = seen.map(({ progress }) => (progress as { items_processed: number }).items_processed);
    expect(processed).toEqual([...processed].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ status: 'completed', progress: { items_processed: 6 } });
  });

  it('stops between two checks once the flag is there, also in the middle of a long pause', async () => {
    const run = await start(await sampleProject(), { paceMs: 60_000 });
    const status = join(run.folder, 'status.json');
    await expect.poll(async () => readFile(status, 'utf8').catch(() => ''), { timeout: 60_000 }).toContain('checking');
    await writeFile(join(run.folder, 'stop-requested'), '', { flag: 'wx' });
    expect(await run.ended).toMatchObject({ code: 0, log: expect.stringContaining('Stopped as asked.') as string });
    expect(await readStatus(run.folder)).toMatchObject({
      status: 'stopped',
      completed_at: expect.any(String) as string,
      progress: { phase: 'stopped', items_processed: 0, total_items: 6 },
      error: null,
    });
    expect(await readdir(run.folder)).toEqual(['status.json', 'stop-requested']);
  });

  it('does no check at all when the flag was there before it', async () => {
    const root = await sampleProject();
    await mkdir(join(root, '.keysarium/workers', ID), { recursive: true });
    await writeFile(join(root, '.keysarium/workers', ID, 'stop-requested'), '');
    const { folder, log } = await runToEnd(root);
    expect(log).not.toContain('[1/6]');
    expect(await readStatus(folder)).toMatchObject({ status: 'stopped' });
  });
});

describe('a builtin worker that cannot do its work', () => {
  it('says in status.json, error.log and log that it does not know the type', async () => {
    const { code, folder, log } = await runToEnd(await sampleProject(), 'dream-cycle');
    const reason =
      'The builtin engine cannot do dream-cycle; it can do: consolidate, export-brain, health-check, pattern-analysis.';
    expect(code).toBe(1);
    expect(log).toContain(`Failed: ${reason}`);
    expect(await readFile(join(folder, 'error.log'), 'utf8')).toContain(reason);
    expect(await readStatus(folder)).toMatchObject({
      status: 'failed',
      completed_at: expect.any(String) as string,
      error: expect.stringContaining(reason) as string,
    });
    expect(await readdir(folder)).toEqual(['error.log', 'status.json']);
  });

  it('refuses to write its report through a link out of its folder', async () => {
    const root = await sampleProject();
    const folder = join(root, '.keysarium/workers', ID);
    await mkdir(folder, { recursive: true });
    const outside = await tempProject();
    await symlink(outside, join(folder, 'output'));
    expect((await runToEnd(root)).code).toBe(1);
    expect(await readStatus(folder)).toMatchObject({ status: 'failed', progress: { items_processed: 6 } });
    expect(await readdir(outside)).toEqual([]);
  });

  it('ends with code 1 and a line on stderr when even its folder is gone', async () => {
    const root = await tempProject();
    const args = [worker.path(), '--type', 'health-check', '--id', ID, '--root', root, '--folder', join(root, 'gone')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
    expect(code).toBe(1);
    expect(errors).toContain('ENOENT');
    expect(await readdir(root)).toEqual([]);
  });

  it('explains its arguments when it is started by hand without them', async () => {
    const child = spawn(process.execPath, [worker.path()], { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
    expect([code, errors]).toEqual([1, expect.stringContaining('Usage: worker.js --type TYPE')]);
  });
});

describe('odd projects', () => {
  it.each(['with spaces & (brackets)', 'проект', '🚀 ракета', '-leading-dash', "it's"])(
    'a health check works in a folder named %s',
    async (name) => {
      const { code, folder } = await runToEnd(await tempProject({ 'CLAUDE.md': '# Rules' }, name));
      expect(code).toBe(0);
      expect(await readReport(folder)).toMatchObject({ summary: { total_checks: 6, failures: 0 } });
    },
  );

  it('an empty project is healthy with a warning, not a failure', async () => {
    const { folder } = await runToEnd(await tempProject());
    const report = await readReport(folder);
    expect(report['summary']).toMatchObject({ warnings: 1, failures: 0, overall_status: 'healthy' });
  });

  it('a project full of broken files gets a report that names them', async () => {
    const root = await tempProject({
      '.claude/skills/a/SKILL.md': '---\ntrust_tier: nine\n---\n',
      'CLAUDE.md': '',
      'researches/a/.witness-chain.json': '\0\0\0',
      'researches/b': 'a file where a folder is expected',
      '.keysarium/workers/registry.json': '{"workers":',
      '.keysarium/memory/x.json': 'not JSON',
      features: 'also a file',
    });
    const { code, folder } = await runToEnd(root);
    expect(code).toBe(0);
    expect(await readReport(folder)).toMatchObject({
      summary: { passed: 1, warnings: 0, failures: 5, overall_status: 'unhealthy' },
    });
  });
});
