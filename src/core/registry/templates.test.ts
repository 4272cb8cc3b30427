import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import type { WorkerType } from '../protocol/workers/workerType';
import { confinedWorkerFolder, resolveWorkersDir } from './paths';
import { findTemplate, type TemplateReading } from './templates';

const root = useTempFolder('templates');
let ours = '';

beforeEach(() => {
  ours = mkdtempSync(join(tmpdir(), 'rollcall-ours-'));
});

afterEach(() => {
  rmSync(ours, { recursive: true, force: true });
});

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function find(template: string, source: WorkerType['source'] = 'protocol'): Promise<TemplateReading> {
  const type = {
    name: 'health-check',
    description: 'Looks',
    model: 'haiku',
    template,
    mayWrite: [],
    command: null,
    engine: 'auto',
    env: {},
    graceSeconds: null,
    source,
  } as const;
  return await findTemplate({ root: root.path, ownTemplatesDir: ours, type });
}

describe('the search for a template', () => {
  it('takes the project before .claude before ours', async () => {
    const shipped = put(join(ours, 'health-check.md'), 'ours');
    expect(await find('health-check.md')).toEqual({ kind: 'ok', text: 'ours', path: shipped });
    const claude = put(join(root.path, '.claude/lib/worker-templates/health-check.md'), 'claude');
    expect(await find('health-check.md')).toEqual({ kind: 'ok', text: 'claude', path: claude });
    const project = put(join(root.path, 'lib/worker-templates/health-check.md'), 'project');
    expect(await find('health-check.md')).toEqual({ kind: 'ok', text: 'project', path: project });
  });

  it('says where it looked when there is none', async () => {
    expect(await find('dream-cycle.md')).toEqual({
      kind: 'absent',
      looked: [
        'lib/worker-templates/dream-cycle.md',
        '.claude/lib/worker-templates/dream-cycle.md',
        join(ours, 'dream-cycle.md'),
      ],
    });
  });

  it('reads the template of an own type from its project path and nowhere else', async () => {
    put(join(ours, 'my.md'), 'ours');
    expect(await find('my.md', 'workers.json')).toEqual({ kind: 'absent', looked: ['my.md'] });
    put(join(root.path, 'prompts/my.md'), 'mine');
    expect(await find('prompts/my.md', 'workers.json')).toMatchObject({ kind: 'ok', text: 'mine' });
  });

  it.each(['../secret.md', '/etc/hostname', 'a/../../secret.md'])('refuses the project path %s', async (path) => {
    expect((await find(path, 'workers.json')).kind).toBe('refused');
  });

  it('refuses a link out of the project instead of taking the next one', async () => {
    put(join(ours, 'health-check.md'), 'ours');
    mkdirSync(join(root.path, 'lib/worker-templates'), { recursive: true });
    symlinkSync('/etc/hostname', join(root.path, 'lib/worker-templates/health-check.md'));
    expect((await find('health-check.md')).kind).toBe('refused');
  });

  it('follows a link that stays inside the project', async () => {
    const real = put(join(root.path, 'shared/health-check.md'), 'shared');
    mkdirSync(join(root.path, 'lib/worker-templates'), { recursive: true });
    symlinkSync(real, join(root.path, 'lib/worker-templates/health-check.md'));
    expect(await find('health-check.md')).toMatchObject({ kind: 'ok', text: 'shared' });
  });

  it('refuses what is too large or no file', async () => {
    put(join(root.path, 'lib/worker-templates/big.md'), 'x'.repeat(1024 * 1024 + 1));
    mkdirSync(join(root.path, 'lib/worker-templates/folder.md'));
    expect(await find('big.md')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('1 MiB') as unknown,
    });
    expect(await find('folder.md')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('regular file') as unknown,
    });
  });
});

describe('the workers folder', () => {
  it('need not exist, and may not be a link out of the project', async () => {
    expect(await resolveWorkersDir(root.path)).toEqual({ ok: true, value: join(root.path, '.keysarium/workers') });
    symlinkSync(ours, join(root.path, '.keysarium'));
    expect(await resolveWorkersDir(root.path)).toMatchObject({ ok: false, error: { code: 'unsafe-root' } });
  });

  it('has no worker whose id is outside the grammar or whose folder is a link out of the project', async () => {
    const workersDir = join(root.path, '.keysarium/workers');
    mkdirSync(workersDir, { recursive: true });
    const id = 'wkr-20260301-143022-health-check';
    expect(await confinedWorkerFolder(root.path, workersDir, id)).toEqual({ ok: true, value: join(workersDir, id) });
    symlinkSync(ours, join(workersDir, id));
    expect((await confinedWorkerFolder(root.path, workersDir, id)).ok).toBe(false);
    expect((await confinedWorkerFolder(root.path, workersDir, '../../etc')).ok).toBe(false);
  });
});
