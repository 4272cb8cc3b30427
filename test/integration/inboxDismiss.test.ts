import { expect, it } from 'vitest';
import { runCli } from '../support/runCli';
import { openTestHost } from '../support/testHost';
import { workersProject } from '../support/workersProject';

const types = { fails: { description: 'd', command: ['sh', '-c', 'exit 3'], isolation: 'audit' } };

it('a failure that a person has put away stays away in every surface, and can be retried all the same', async () => {
  const root = await workersProject({ types });
  const started = await runCli(root, 'start', 'fails', '--wait', '--json');
  const { worker_id: workerId } = JSON.parse(started.stdout) as { readonly worker_id: string };
  const inbox = async (): Promise<string> => (await runCli(root, 'inbox')).stdout;
  expect(await inbox()).toContain(`worker:${workerId}`);

  expect(await runCli(root, 'inbox', 'dismiss', `worker:${workerId}`)).toMatchObject({
    code: 0,
    stdout: `Worker ${workerId} is out of the inbox.\n`,
  });
  expect(await inbox()).not.toContain(workerId);
  const host = await openTestHost(root);
  const [worker] = (await host.refresh()).workers;
  expect(worker).toMatchObject({ state: 'failed', attention: null, canRetry: true, entry: { status: 'failed' } });

  expect(await runCli(root, 'inbox', 'dismiss', workerId)).toMatchObject({
    code: 1,
    stderr: `Nothing in the inbox is of worker ${workerId}.\n`,
  });
  expect((await runCli(root, 'status', '--json')).stdout).toContain('"attention": null');
});
