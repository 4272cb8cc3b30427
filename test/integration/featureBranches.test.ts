import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { featuresJson } from '../../src/core/protocol/features/featureJson';
import type { FeatureWorker } from '../../src/core/protocol/features/featureSnapshot';
import { readerOf, lookAtFeatures } from '../support/lookAtFeatures';
import { gitIn, type RunGit } from '../support/gitRepository';
import { addFiles, tempProject } from '../support/tempProject';

const NOW = '2026-02-14T17:30:00Z';
const RUN_BEGAN = '2026-02-14T17:00:00.500000';
const EARLIER = '2026-02-14T16:59:59Z';

interface RunText {
  readonly workers?: Readonly<Record<string, object>>;
  readonly startedAt?: string;
}

function state({ workers = { 0: { status: 'running' } }, startedAt = RUN_BEGAN }: RunText = {}): string {
  return JSON.stringify({ started_at: startedAt, tasks: { A: { status: 'pending' } }, workers, levels: {} });
}

interface Repository {
  readonly root: string;
  readonly git: RunGit;
  /** Commits nothing on a branch, from a worktree of its own as the tool does. */
  readonly commitOn: (branch: string, subject: string, at?: string) => void;
}

async function repository(files: Readonly<Record<string, string>> = { '.zerg/state/auth.json': state() }) {
  const root = await tempProject(files);
  const git = gitIn(root);
  git(['init', '-q']);
  git(['commit', '-q', '--allow-empty', '-m', 'The beginning']);
  const commitOn: Repository['commitOn'] = (branch, subject, at = '2026-02-14T17:20:00Z') => {
    const folder = join(root, '.zerg-worktrees', branch.replace(/^zerg\//, ''));
    if (!readdirSync(root, { recursive: true, encoding: 'utf8' }).includes(folder.slice(root.length + 1))) {
      git(['worktree', 'add', '-q', folder, '-b', branch]);
    }
    gitIn(folder)(['commit', '-q', '--allow-empty', '-m', `${subject}\n\nTask-ID: A`], at);
  };
  return { root, git, commitOn };
}

async function workersIn(root: string): Promise<readonly FeatureWorker[]> {
  const { features, diagnostics } = await lookAtFeatures({ root, now: NOW });
  expect(diagnostics).toEqual([]);
  return features.flatMap(({ workers }) => workers);
}

describe("a worker's branch", () => {
  it('is named where the state names none, with its last commit', async () => {
    const { root, commitOn } = await repository();
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Define types', '2026-02-14T17:10:00Z');
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Write tests', '2026-02-14T17:20:00Z');
    const hash = readFileSync(join(root, '.git/refs/heads/zerg/auth/worker-0'), 'utf8').slice(0, 7);
    const snapshot = await lookAtFeatures({ root, now: NOW });
    expect(featuresJson(snapshot)).toMatchObject({
      features: [
        {
          workers: [
            {
              id: 0,
              branch: 'zerg/auth/worker-0',
              last_commit: { hash, subject: 'ZERG [0]: Write tests', at: '2026-02-14T17:20:00.000Z', age_s: 600 },
            },
          ],
        },
      ],
    });
    expect(JSON.stringify(snapshot)).not.toContain('example.invalid');
  });

  it('is the one that the state says where it says one', async () => {
    const workers = { 0: { status: 'running', branch: 'mine' } };
    const { root, commitOn } = await repository({ '.zerg/state/auth.json': state({ workers }) });
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Define types');
    expect(await workersIn(root)).toMatchObject([{ branch: 'mine', lastCommit: { ageSeconds: 600 } }]);
  });

  it('is found when git has packed it, and not any more when it is deleted', async () => {
    const { root, git, commitOn } = await repository();
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Define types');
    git(['pack-refs', '--all']);
    expect(readdirSync(join(root, '.git/refs/heads'))).toEqual([]);
    const found = await workersIn(root);
    expect(found).toMatchObject([{ branch: 'zerg/auth/worker-0', lastCommit: { subject: 'ZERG [0]: Define types' } }]);
    git(['worktree', 'remove', '--force', '.zerg-worktrees/auth/worker-0']);
    git(['branch', '-q', '-D', 'zerg/auth/worker-0']);
    expect(await workersIn(root)).toMatchObject([{ branch: null, lastCommit: null }]);
  });

  it('is found from a project that is itself a worktree', async () => {
    const { root, git, commitOn } = await repository({});
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Define types');
    const session = join(dirname(root), 'session');
    git(['worktree', 'add', '-q', session, '-b', 'session']);
    await addFiles(session, { '.zerg/state/auth.json': state() });
    const found = await workersIn(session);
    expect(found).toMatchObject([{ branch: 'zerg/auth/worker-0', lastCommit: { subject: 'ZERG [0]: Define types' } }]);
    expect(await readerOf(session).watchedFolders()).toContain(join(root, '.git/logs/refs/heads/zerg/auth'));
  });

  it('belongs to the feature in its name, whatever alphabet that has', async () => {
    const workers = { 0: { status: 'running' }, 1: { status: 'running' } };
    const { root, commitOn } = await repository({
      '.zerg/state/оплата-💳.json': state(),
      '.zerg/state/auth.json': state({ workers }),
    });
    commitOn('zerg/оплата-💳/worker-0', 'ZERG [0]: Платёж');
    commitOn('zerg/auth/worker-1', 'ZERG [1]: Elsewhere');
    const found = (await workersIn(root)).map(({ branch, lastCommit }) => [branch, lastCommit?.subject]);
    expect(found).toEqual([
      [null, undefined],
      ['zerg/auth/worker-1', 'ZERG [1]: Elsewhere'],
      ['zerg/оплата-💳/worker-0', 'ZERG [0]: Платёж'],
    ]);
  });

  it('is not looked for at a path that a feature value makes, or behind a link', async () => {
    const { root, git } = await repository({
      '.zerg/state.json': JSON.stringify({ feature: '../team', tasks: {}, workers: { 0: { status: 'running' } } }),
      '.zerg/state/linked.json': state(),
    });
    git(['branch', '-q', 'team/worker-0']);
    git(['branch', '-q', 'zerg/auth/worker-0']);
    symlinkSync('../team', join(root, '.git/refs/heads/zerg/linked'));
    expect((await workersIn(root)).map(({ branch }) => branch)).toEqual([null, null]);
    const outside = join(dirname(root), 'outside');
    renameSync(join(root, '.git/refs/heads/zerg'), outside);
    symlinkSync(outside, join(root, '.git/refs/heads/zerg'));
    mkdirSync(join(outside, 'real'));
    await addFiles(root, { '.zerg/state/auth.json': state() });
    expect((await workersIn(root)).map(({ branch }) => branch)).toEqual([null, null, null]);
  });
});

describe('the subject of a commit', () => {
  it('tells whose it is, on whichever branch of the feature it lies', async () => {
    const workers = { 0: { status: 'running' }, 1: { status: 'running' } };
    const { root, commitOn } = await repository({ '.zerg/state/auth.json': state({ workers }) });
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Mine', '2026-02-14T17:10:00Z');
    commitOn('zerg/auth/worker-1', 'Without a number', '2026-02-14T17:11:00Z');
    commitOn('zerg/auth/worker-1', 'ZERG [0]: For another', '2026-02-14T17:20:00Z');
    expect((await workersIn(root)).map(({ lastCommit }) => lastCommit?.subject)).toEqual([
      'ZERG [0]: For another',
      'Without a number',
    ]);
  });
});

describe('a branch of an earlier run', () => {
  it('makes no worker, wakes none, and its commits are not of this run', async () => {
    const silent = { status: 'running', started_at: '2026-02-14T17:00:01' };
    const { root, commitOn } = await repository({ '.zerg/state/auth.json': state({ workers: { 0: silent } }) });
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Long ago', EARLIER);
    commitOn('zerg/auth/worker-7', 'ZERG [7]: Nobody');
    expect(await workersIn(root)).toMatchObject([
      { id: 0, branch: 'zerg/auth/worker-0', lastCommit: null, liveness: 'silent', lastActivityAgeSeconds: 1799 },
    ]);
    // One of the second in which the run began is not older than it.
    commitOn('zerg/auth/worker-0', 'ZERG [0]: At once', '2026-02-14T17:00:00Z');
    const [worker] = await workersIn(root);
    expect(worker).toMatchObject({ lastCommit: { subject: 'ZERG [0]: At once' }, liveness: 'silent' });
  });

  it('does not show a dead worker alive, even with a commit of this moment', async () => {
    const workers = { 0: { status: 'crashed' }, 1: { status: 'running', started_at: '2026-02-14T17:00:01' } };
    const { root, commitOn } = await repository({ '.zerg/state/auth.json': state({ workers }) });
    commitOn('zerg/auth/worker-0', 'ZERG [0]: Last words', NOW);
    commitOn('zerg/auth/worker-1', 'ZERG [1]: Last words', NOW);
    const { features } = await lookAtFeatures({ root, now: NOW });
    expect(features).toMatchObject([
      { phase: 'orphaned', workers: [{ liveness: 'crashed' }, { liveness: 'silent', lastCommit: { ageSeconds: 0 } }] },
    ]);
  });
});
