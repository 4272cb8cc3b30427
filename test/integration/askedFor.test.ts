import { expect, it } from 'vitest';
import { fakeEngineProject, type FakeEngineProject } from '../support/engines/fakeEngine';
import { eventually } from '../support/keeperRig';
import { ShiftedClock } from '../support/shiftedClock';
import { registryOf, workerFolders } from '../support/workersProject';

/** Which engine each worker had, in the order of their starts. */
async function enginesOf({ run }: FakeEngineProject): Promise<readonly (string | undefined)[]> {
  const { workers } = JSON.parse((await run('status', '--json')).stdout) as {
    readonly workers: readonly { readonly worker_id: string; readonly engine: { readonly name: string } | null }[];
  };
  const inOrder = workers.toSorted((a, b) => a.worker_id.localeCompare(b.worker_id));
  return inOrder.map(({ engine }) => engine?.name);
}

it('an engine in a container is refused in words, whether the type has a command or not, and nothing is made', async () => {
  const tests = { description: 'd', command: ['true'], image: 'none', isolation: 'container' };
  const { run, root } = await fakeEngineProject('begin(); end();', { types: { tests } });
  const bare = await run('start', 'health-check', '--engine', 'claude', '--isolation', 'container');
  expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('a container runs nothing else') as string });
  const own = await run('start', 'tests', '--engine', 'claude');
  expect(own).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('wants the engine claude and has no template') as string,
  });
  expect(workerFolders(root)).toEqual([]);
});

const failing = 'begin(); process.exit(1);';

it('a retry asks for the engine and the isolation that the first start asked for, not for what is configured', async () => {
  const project = await fakeEngineProject(failing, { defaults: { engine: 'builtin', isolation: 'auto' } });
  const { run, root } = project;
  const started = await run('start', 'health-check', '--engine', 'claude', '--isolation', 'audit', '--wait', '--json');
  const { worker_id: id } = JSON.parse(started.stdout) as { readonly worker_id: string };
  expect(started.code).toBe(1);
  const retried = await run('retry', id, '--wait', '--json');
  const { worker_id: second } = JSON.parse(retried.stdout) as { readonly worker_id: string };
  expect(await enginesOf(project)).toEqual(['claude', 'claude']);
  const asked = { asked_engine: 'claude', asked_isolation: 'audit' };
  expect(registryOf(root).get(second)).toMatchObject({ ...asked, retry_of: id });
  // What was not asked for is left to the configuration.
  const plain = await run('start', 'health-check', '--wait', '--json');
  const { worker_id: third } = JSON.parse(plain.stdout) as { readonly worker_id: string };
  expect(registryOf(root).get(third)).not.toHaveProperty('asked_engine');
  expect(await enginesOf(project)).toEqual(['claude', 'claude', undefined]);
});

it('so does a retry by itself', async () => {
  const project = await fakeEngineProject(failing, {
    defaults: { engine: 'builtin', retry: { automatic: 'always' } },
  });
  const clock = new ShiftedClock();
  const host = await project.open(clock);
  await host.watch();
  await host.lead();
  const started = await host.start({ type: 'health-check', engine: 'claude', requestedBy: 'cli' });
  expect(started.ok).toBe(true);
  await eventually(async () => {
    expect((await host.look()).workers).toMatchObject([{ state: 'backoff' }]);
  });
  clock.goAhead(10_000);
  await eventually(async () => {
    expect(await enginesOf(project)).toEqual(['claude', 'claude']);
  });
});

it('a queued start keeps what it asks for until a slot is free', async () => {
  const plan = 'begin(); setInterval(() => {}, 1_000);';
  const project = await fakeEngineProject(plan, { defaults: { engine: 'builtin' }, maxConcurrent: 1 });
  const host = await project.open();
  await host.watch();
  await host.lead();
  const first = await host.start({ type: 'health-check', engine: 'claude', requestedBy: 'cli' });
  const queued = await project.run('start', 'export-brain', '--engine', 'claude', '--when-free', '--json');
  expect(JSON.parse(queued.stdout)).toMatchObject({ queued: { type: 'export-brain', engine: 'claude', place: 1 } });
  const worker = first.ok ? first.value.workerId : '';
  expect(await host.stop({ worker, force: true, requestedBy: 'cli' })).toMatchObject({ ok: true });
  await eventually(async () => {
    expect(await enginesOf(project)).toEqual(['claude', 'claude']);
  });
});
