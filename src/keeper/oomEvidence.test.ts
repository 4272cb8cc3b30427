import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { counterFile, oomKills } from './oomEvidence';

it('finds the counter of either cgroup version, and none for other controllers', () => {
  expect(counterFile('0::/user/a', '/cg')).toBe('/cg/user/a/memory.events');
  expect(counterFile('4:memory:/b', '/cg')).toBe('/cg/memory/b/memory.oom_control');
  expect(counterFile('8:pids:/b', '/cg')).toBeNull();
  expect(counterFile('', '/cg')).toBeNull();
});

it('counts the kills of the own group, and none where there is no such file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-oom-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  expect(oomKills(folder, folder)).toBe(0);
  await mkdir(join(folder, 'self'));
  await writeFile(join(folder, 'self/cgroup'), '8:pids:/x\n0::/job\n');
  await mkdir(join(folder, 'job'));
  await writeFile(join(folder, 'job/memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n');
  expect(oomKills(folder, folder)).toBe(2);
});
