import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { anEngineSnapshot } from '../../../test/support/engineParts';
import { START, workerSnapshot } from '../../../test/support/snapshots';
import { tempProject } from '../../../test/support/tempProject';
import { systemClock } from '../base/clock';
import { readEnginesSettings } from '../engines/engineSettings';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { Git } from '../worktrees/git';
import { ensureWorktree } from '../worktrees/worktreeStore';
import { EngineCatalog } from './engineCatalog';
import { openCommandOf } from './openCommand';

const isolation = { level: 'worktree', note: null, violations: [] } as const;

it('a session is opened where its program ran, and not while that still works in it', async () => {
  const bin = await tempProject({ claude: '#!/bin/sh\necho 1.2.3\n' });
  await chmod(join(bin, 'claude'), 0o755);
  const root = await tempProject({ 'a.md': 'a' });
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'begin'],
  ]) {
    execFileSync('git', args, { cwd: root });
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: bin };
  const git = new Git({ root, env });
  const settings = () => readEnginesSettings(undefined);
  const engines = new EngineCatalog({ root, distDir: '/ext/dist', own: [], settings, clock: systemClock() });
  const open = async (changes: Partial<WorkerSnapshot>) => {
    const worker = workerSnapshot({ engine: anEngineSnapshot(), endedAt: START, state: 'completed', ...changes });
    const outcome = await openCommandOf(worker, { engines, root, git, trusted: true }, env);
    return outcome.ok ? outcome.value.cwd : outcome.error.message;
  };
  expect(await open({})).toBe(root);
  expect(await open({ endedAt: null, state: 'running' })).toMatch(/still works in its session/);
  expect(await open({ isolation })).toMatch(/^The worktree of worker .* was removed/);
  const placed = await ensureWorktree(git, workerSnapshot().workerId);
  expect(placed.ok && (await open({ isolation })) === placed.value.cwd).toBe(true);
});
