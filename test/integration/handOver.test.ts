import { expect, it } from 'vitest';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { started, workersProject } from '../support/workersProject';

it('a window that asks for the lead has it at once: what runs does not notice, and who led follows and asks it', async () => {
  const root = await workersProject();
  const first = await openTestHost(root);
  await first.watch();
  await first.lead();
  const waiting = await started(first, 'wait');
  const before = await untilSnapshot(first, ({ workers }) => workers[0]?.state === 'running');
  const second = await openTestHost(root);
  await second.watch();
  await second.lead();

  expect(await second.takeLead()).toEqual({ ok: true, value: null });
  const taken = await second.look();
  expect(taken.leader?.epoch).toBe((before.leader?.epoch ?? 0) + 1);
  expect(taken.workers).toMatchObject([{ workerId: waiting, state: 'running', pid: before.workers[0]?.pid }]);

  await started(first, 'quick');
  expect(await first.stop({ worker: waiting, force: false, requestedBy: 'vscode' })).toMatchObject({ ok: true });
  expect(await second.waitForEnd(waiting, AbortSignal.timeout(20_000))).toMatchObject({ state: 'stopped' });
  expect(await second.takeLead()).toEqual({ ok: true, value: null });
  expect((await first.look()).leader).toEqual(taken.leader);
});

it('an untrusted window is refused the lead', async () => {
  const host = await openTestHost(await workersProject(), { trusted: false });
  expect(await host.takeLead()).toMatchObject({ ok: false, error: { code: 'untrusted' } });
});
