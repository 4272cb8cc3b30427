import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Message } from '../../src/core/protocol/actors/message';
import { holds, type Leader, mail, useAgents } from '../support/agentRig';

const rig = useAgents();

async function attached(): Promise<Leader> {
  const leader = await rig.leader();
  await leader.attach();
  return leader;
}

function question(taskId: string): Partial<Message> {
  return { type: 'WorkAssign', payload: { taskId } };
}

it('understands how existing agents write: any order, any case, old names, CRLF, a mark, nothing, cut and joined lines', async () => {
  await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  agent.write('\uFEFF{"payload":null,"to":"pm","type":"TASK_COMPLETE"}\r\n');
  agent.write(
    '\r\n\nnull\n{"type":"question","from":"developer"}\n{"type":"QUERY","id":"msg-20261130-184324-9537"}\r\n',
  );
  const cut = Buffer.from('{"type":"Oddity","to":"qa","payload":{"text":"größer"}}\n');
  agent.write(cut.subarray(0, 47));
  await leader.has(4);
  agent.write(cut.subarray(47));
  const accepted = await leader.has(5);
  expect(accepted.map(({ message }) => message.type)).toEqual([
    'AgentStatus',
    'WorkComplete',
    'Query',
    'Query',
    'Oddity',
  ]);
  expect(accepted.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(accepted[1]?.message).toMatchObject({ from: 'developer', to: 'pm', payload: {} });
  expect(accepted[3]?.message.id).toBe('msg-20261130-184324-9537');
  expect(accepted[4]).toMatchObject({ message: { payload: { text: 'größer' } } });
  expect(accepted[4]?.warnings).toHaveLength(1);
});

it('writes lines that are padded to a multiple of 1,024 bytes and at most 64 KiB long', async () => {
  await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  const large = mail(2, { payload: { text: 'x'.repeat(65_000) } });
  await leader.deliver(mail(1), large);
  expect(await agent.hears('the large one', ({ id }) => id === large.message.id)).toEqual(large.message);
  expect(agent.sizes).toEqual([1024, 64 * 1024]);
});

it('keeps back what an existing agent could not read, says why, and goes on with the rest', async () => {
  await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  const unfit = [
    mail(1, { payload: { text: 'x'.repeat(66_000) } }),
    mail(2, { payload: { a: { psBase: 1 } } }),
    mail(3, { payload: { key: 1, Key: 2 } }),
  ];
  await leader.deliver(...unfit, mail(4));
  await agent.hears('the rest', ({ payload }) => (payload as { seq?: number }).seq === 4);
  await holds(() => {
    const reasons = leader.events.flatMap(({ event, params }) => (event === 'unfit' ? [params] : []));
    expect(reasons).toMatchObject([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
  });
  expect((await leader.attach()).waiting).toEqual([1, 2, 3]);
  const runtime = rig.runtime('one');
  await runtime.hears('what only it can read', ({ seq }) => seq === 3);
  expect(runtime.seqs()).toEqual([1, 2, 3]);
});

it('answers a line above 1 MiB and a line that is no message with an error, and goes on', async () => {
  await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  agent.say({ type: 'Query', payload: { text: 'x'.repeat(1024 * 1024) } });
  agent.write('{"type":\n');
  agent.say({ type: 'Query', payload: { after: true } });
  expect(await leader.has(2)).toMatchObject([{}, { message: { type: 'Query', payload: { after: true } } }]);
  await holds(() => {
    const texts = agent.heard.map(({ payload }) => (payload as { message: string }).message);
    expect(texts).toEqual([expect.stringContaining('1 MiB'), expect.stringContaining('no JSON')]);
  });
  expect(agent.heard[0]).toMatchObject({ type: 'System', from: 'watchdog', payload: { systemEvent: 'error' } });
  expect(agent.sizes.every((size) => size % 1024 === 0)).toBe(true);
});

it('takes a message from a second, short connection and leaves the mail with the first', async () => {
  await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  await leader.has(1);
  const helper = rig.raw(rig.order.compatibleEndpoint ?? '');
  helper.say({ type: 'WorkComplete', payload: { taskId: 'a' } });
  helper.socket.end();
  await helper.untilClosed();
  await leader.has(2);
  await leader.deliver(mail(1));
  await agent.hears('the mail', ({ type }) => type === 'PlanUpdate');
  expect(helper.heard).toEqual([]);
  expect(leader.events.map(({ event }) => event)).not.toContain('disconnected');
});

it('keeps mail back from an agent that waits for the answer to its call, because it would drop it unread', async () => {
  await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  const call = { type: 'CLIInvoke', to: 'watchdog', payload: { agentName: 'developer' } };
  agent.say(call);
  await leader.has(2);
  await leader.deliver(mail(1), mail(2));
  await leader.deliver(mail(3, { type: 'CLIComplete', from: 'watchdog' }), mail(4));
  await holds(() => {
    expect(agent.heard.map(({ payload }) => (payload as { seq: number }).seq)).toEqual([3, 1, 2, 4]);
  });
  // Who comes next made no call, and is no longer answered for the one before.
  agent.say(call);
  await leader.has(3);
  agent.socket.destroy();
  await leader.untilTold('disconnected');
  await leader.deliver(mail(5), mail(6, { type: 'CLIComplete', from: 'watchdog' }), mail(7));
  const next = rig.existing();
  await holds(() => {
    expect(next.heard.map(({ payload }) => (payload as { seq: number }).seq)).toEqual([5, 6, 7]);
  });
});

it('outlives agents that break off in the middle of a line or of a read', async () => {
  await rig.host();
  const leader = await attached();
  for (let round = 0; round < 5; round += 1) {
    const agent = rig.existing();
    agent.write('{"type":"Query","payload":{"half":');
    await leader.has(round + 1);
    await leader.deliver(mail(round + 1, { payload: { text: 'x'.repeat(60_000) } }));
    agent.socket.destroy();
  }
  const next = rig.existing();
  next.say({ type: 'Query', payload: { whole: true } });
  const accepted = await leader.has(7);
  expect(accepted.filter(({ message }) => message.type === 'Query')).toMatchObject([
    { message: { payload: { whole: true } } },
  ]);
});

it('gives mail once to each process, ends what is answered, and gives the next process the rest', async () => {
  const keeper = await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  const asked = mail(1, { type: 'Query' });
  await leader.deliver(asked, mail(2, question('a')), mail(3, question('b')), mail(4));
  await agent.hears('the mail', ({ type }) => type === 'PlanUpdate');
  agent.say({ type: 'Response', inReplyTo: asked.message.id });
  agent.say({ type: 'WorkComplete', payload: { taskId: 'b' } });
  await holds(() => {
    expect(leader.told('acked')).toEqual([1, 3]);
  });
  const again = rig.existing();
  await leader.has(4);
  agent.socket.end();
  await agent.untilClosed();
  await leader.deliver(mail(5));
  await again.hears('the mail', ({ payload }) => (payload as { seq?: number }).seq === 5);
  expect(again.heard).toHaveLength(1);
  await leader.client.request('stop', { requestedBy: 'test', force: true });
  await keeper.ended;

  await rig.host({}, { epoch: 2 });
  const next = await rig.leader(2);
  expect((await next.attach(4)).acked).toEqual([1, 3]);
  const successor = rig.existing();
  await successor.hears('what was not answered', ({ type }) => type === 'WorkAssign');
  await holds(() => {
    expect(next.told('handed', 'redelivered')).toEqual([2]);
  });
  expect(successor.heard).toHaveLength(1);
});

it('lets even an agent hear everything that goes deaf after one short block', async () => {
  const script = fileURLToPath(new URL('../fixtures/deafAgent.py', import.meta.url));
  const keeper = await rig.start(rig.agentSpec({}, { command: 'python3', args: [script] }));
  const leader = await attached();
  await leader.has(1);
  const items = Array.from({ length: 400 }, (_, index) =>
    mail(index + 1, { payload: { text: 'ä'.repeat((index * 7919) % 9_000) } }),
  );
  for (let from = 0; from < items.length; from += 40) {
    await leader.deliver(...items.slice(from, from + 40));
  }
  await holds(() => {
    expect(leader.told('handed')).toHaveLength(400);
  });
  await leader.client.request('stop', { requestedBy: 'test', force: false });
  await keeper.ended;
  const heard = readFileSync(join(rig.root, 'heard'), 'utf8').trimEnd().split('\n');
  expect(heard.slice(0, -1)).toEqual(items.map(({ message }) => message.id));
  const { attempts } = await rig.mustRecord();
  expect(attempts).toMatchObject([{ exit: { code: 0, class: 'asked to stop', forced: false } }]);
});

it('holds 60 MB of mail for an agent that does not read without holding it in memory', async () => {
  const keeper = await rig.host();
  const leader = await attached();
  const agent = rig.existing();
  await leader.has(1);
  agent.socket.pause();
  const items = Array.from({ length: 1000 }, (_, index) => mail(index + 1, { payload: { text: 'x'.repeat(60_000) } }));
  for (const item of items) {
    await leader.deliver(item);
  }
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${keeper.pid}/status`, 'utf8'))?.[1];
  expect(Number(resident)).toBeLessThan(160 * 1024);
  agent.say({ type: 'Query', payload: { heard: 'although it reads nothing' } });
  await leader.has(2);
  agent.socket.resume();
  await holds(() => {
    expect(agent.heard).toHaveLength(1000);
  });
  expect(agent.heard.map(({ id }) => id)).toEqual(items.map(({ message }) => message.id));
});
