import { expect, it } from 'vitest';
import { eventually } from '../support/keeperRig';
import { runCli, startCli } from '../support/runCli';
import { rawAgentCommand, sessionProject } from '../support/sessionProject';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost } from '../support/testHost';
import { workersProject } from '../support/workersProject';

interface Inbox {
  readonly inbox: readonly { readonly id: string }[];
  readonly snoozed: readonly { readonly id: string; readonly snoozedUntil: string }[];
}

async function inboxOf(root: string): Promise<Inbox> {
  return JSON.parse((await runCli(root, 'inbox', '--json')).stdout) as Inbox;
}

async function eventsIn(root: string): Promise<string> {
  return (await runCli(root, 'events', '--since', '0')).stdout;
}

const types = { fails: { description: 'd', command: ['sh', '-c', 'exit 3'], isolation: 'audit' } };

it('a failure that was put off is out of every count, is back by itself, and the log of events tells of it', async () => {
  const root = await workersProject({ types });
  const started = await runCli(root, 'start', 'fails', '--wait', '--json');
  const { worker_id: workerId } = JSON.parse(started.stdout) as { readonly worker_id: string };
  const id = `worker:${workerId}`;
  const until = Date.now() + 60 * 60_000;

  const snoozed = await runCli(root, 'inbox', 'snooze', workerId, '1h', '--json');
  expect(JSON.parse(snoozed.stdout)).toMatchObject({ schema: 1, item: id, deniedAt: null });
  const { inbox, snoozed: away } = await inboxOf(root);
  expect(inbox).toEqual([]);
  expect(away).toMatchObject([{ id }]);
  expect(Math.abs(Date.parse(away[0]?.snoozedUntil ?? '') - until)).toBeLessThan(60_000);
  expect((await runCli(root, 'inbox')).stdout).toMatch(/^The inbox is empty\.\n1 snoozed, the next is back at /);
  expect((await runCli(root, 'inbox', '--snoozed')).stdout).toContain(id);

  // Another process looks an hour later: nothing had to be kept in memory.
  const clock = new ShiftedClock();
  const later = await openTestHost(root, { clock });
  await later.watch();
  expect(later.getSnapshot().workers).toMatchObject([{ snoozed: { [id]: expect.any(Number) } }]);
  clock.goAhead(61 * 60_000);
  expect((await later.look()).workers).toMatchObject([{ snoozed: {}, attention: { kind: 'failed' } }]);
  await later.lead();
  await eventually(async () => {
    expect(/ItemSnoozed.*/.exec(await eventsIn(root))?.[0]).toContain('by cli');
  });
  await later.shutdown();

  expect((await runCli(root, 'inbox', 'unsnooze', id)).stdout).toBe(`${id} is back in the inbox.\n`);
  expect((await inboxOf(root)).inbox).toMatchObject([{ id, snoozedUntil: null }]);
});

it('what cannot be put off is refused, and a span that is none', async () => {
  const root = await workersProject({ types });
  expect(await runCli(root, 'inbox', 'snooze', 'msg:7')).toMatchObject({ code: 1 });
  expect(await runCli(root, 'inbox', 'snooze', 'worker:wkr-20260301-143022-fails')).toMatchObject({ code: 1 });
  const long = await runCli(root, 'inbox', 'snooze', 'msg:7', '999d');
  expect(long).toMatchObject({ code: 1, stderr: expect.stringContaining('longer than a year') });
  expect((await runCli(root, 'inbox', 'snooze', 'msg:7', 'soon')).code).toBe(2);
});

it("an agent's question that was put off is not counted, and can be answered all the same", async () => {
  const agent = { command: rawAgentCommand(), graceSeconds: 2, start: 'session' };
  const { root, env } = await sessionProject({ a: agent });
  const leader = startCli(root, ['session', 'start'], { env });
  await leader.printed('The session has started. Agents: a.');
  const payload = JSON.stringify({ taskId: 't1', do: ['ask'] });
  await runCli(root, 'send', '--to', 'a', '--type', 'WorkAssign', '--payload', payload);
  const item = await eventually(async () => {
    const { inbox } = await inboxOf(root);
    expect(inbox).toHaveLength(1);
    return inbox[0]?.id ?? '';
  });
  const count = async (): Promise<string | undefined> =>
    /\d+ in the inbox/.exec((await runCli(root, 'session', 'status')).stdout)?.[0];
  expect(await count()).toBe('1 in the inbox');

  expect((await runCli(root, 'inbox', 'snooze', item, '2h')).stdout).toContain(`${item} is snoozed till `);
  expect(await count()).toBeUndefined();
  expect(await inboxOf(root)).toMatchObject({ inbox: [], snoozed: [{ id: item }] });

  // The next who leads knows of it from the log alone.
  leader.child.kill('SIGKILL');
  await leader.ended;
  expect(await inboxOf(root)).toMatchObject({ inbox: [], snoozed: [{ id: item }] });
  expect((await runCli(root, 'answer', item, 'Well.')).code).toBe(0);
  expect(await inboxOf(root)).toMatchObject({ inbox: [], snoozed: [] });
  await runCli(root, 'session', 'stop', '--force');
});
