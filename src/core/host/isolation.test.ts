import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import type { IsolationName } from '../protocol/config/configModel';
import type { WorkerType } from '../protocol/workers/workerType';
import { Git } from '../worktrees/git';
import { type IsolationQuestion, planIsolation } from './isolation';

const type: WorkerType = {
  name: 'audit',
  description: 'd',
  model: 'none',
  template: null,
  mayWrite: [],
  command: ['true'],
  engine: 'command',
  env: {},
  graceSeconds: null,
  source: 'workers.json',
};

interface Asked {
  readonly type?: Partial<WorkerType>;
  readonly wanted?: IsolationName;
  readonly trouble?: string | null;
  readonly root?: string;
  /** As DOCKER_HOST. */
  readonly engine?: string;
}

async function plan({ type: change = {}, wanted, trouble = null, root = '/', engine = 'tcp://127.0.0.1:1' }: Asked) {
  const question: IsolationQuestion = {
    type: { ...type, ...change },
    request: { type: type.name, requestedBy: 'cli', ...(wanted === undefined ? {} : { isolation: wanted }) },
    root,
    env: { PATH: '/bin' },
    callerEnv: { HOME: '/nowhere', DOCKER_HOST: engine },
    memoryMB: 8,
    git: new Git({ root, env: { PATH: process.env['PATH'] ?? '' } }),
    engine: 'command',
    means: {
      containers: {
        trouble: async (_endpoint, image) => Promise.resolve(image === 'here:1' ? null : `no image ${image}.`),
      },
      program: { nodePath: 'node', script: 'srt.js' },
      trouble: async (path) => Promise.resolve(path === '/bin' ? trouble : 'asked for another PATH'),
    },
  };
  return await planIsolation(question);
}

describe('planIsolation', () => {
  it.each([
    ['auto where a sandbox works', {}, { level: 'sandbox', note: null }],
    [
      'auto in a path that the sandbox takes for a pattern',
      { root: '/a[b]' },
      {
        level: 'audit',
        note: 'no sandbox works here: the path of this project contains one of the characters * ? [ ]',
      },
    ],
    ['auto where none works', { trouble: 'no bwrap' }, { level: 'audit', note: 'no sandbox works here: no bwrap' }],
    ['audit, whatever works', { type: { isolation: 'audit' } }, { level: 'audit', note: null }],
    ['sandbox where one works', { type: { isolation: 'sandbox' } }, { level: 'sandbox', note: null }],
    [
      'the request before the type',
      { type: { isolation: 'sandbox' }, wanted: 'audit' },
      { level: 'audit', note: null },
    ],
  ] as const)('decides %s', async (_name, asked, expected) => {
    expect(await plan(asked)).toEqual({ ok: true, value: { ...expected, mayWrite: [] } });
  });

  it('refuses what was asked for by name and cannot be had, and says what to do', async () => {
    expect(await plan({ type: { isolation: 'sandbox' }, trouble: 'no bwrap; install it' })).toEqual({
      ok: false,
      error: {
        code: 'isolation',
        message: 'Worker type audit must run in a sandbox, and none works here: no bwrap; install it.',
      },
    });
  });

  it('takes a container of the type’s image, with its limit, at the engine that the caller names', async () => {
    const container = {
      endpoint: { kind: 'tcp', host: '127.0.0.1', port: 1, certFolder: null },
      image: 'here:1',
      memoryBytes: 8 * 1024 * 1024,
    };
    expect(await plan({ type: { isolation: 'container', image: 'here:1' } })).toEqual({
      ok: true,
      value: { level: 'container', note: null, mayWrite: [], container },
    });
  });

  it.each([
    ['an image that is not there', { image: 'gone:1' }, 'no image gone:1.'],
    ['no image', { image: null }, 'Add "image" to types.audit in .vscode/workers.json.'],
    ['no command', { command: null, image: 'here:1' }, 'has no command, and a container runs nothing else'],
  ])('refuses a container with %s, and says what to do', async (_name, change, text) => {
    const outcome = await plan({ type: { isolation: 'container', ...change } });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'isolation' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(text);
  });

  it('refuses a container where there is no engine', async () => {
    const outcome = await plan({ type: { isolation: 'container', image: 'here:1' }, engine: 'unix:///nowhere/x.sock' });
    expect(outcome.ok ? '' : outcome.error.message).toContain('There is no container engine');
  });

  it('gives the real place of what a type may write, and refuses a link out of the project', async () => {
    const root = await tempProject();
    await mkdir(join(root, 'real'));
    await symlink('real', join(root, 'reports'));
    await symlink('/usr', join(root, 'out'));
    const mayWrite = async (path: string) => plan({ root, type: { mayWrite: [path] } });
    expect(await mayWrite('reports/new/')).toMatchObject({ ok: true, value: { mayWrite: [join(root, 'real/new')] } });
    expect(await mayWrite('out/x')).toMatchObject({ ok: false, error: { code: 'isolation' } });
  });
});
