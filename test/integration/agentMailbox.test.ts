import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { holds, mail, useAgents } from '../support/agentRig';
import { eventually, untilGone } from '../support/keeperRig';

const rig = useAgents();

describe('the private endpoint', () => {
  it('hangs up on a wrong token and on anything that is no hello', async () => {
    await rig.host();
    for (const stranger of [rig.runtime('one', { token: 'wrong' }), rig.raw(rig.order.privateEndpoint)]) {
      stranger.say({ n: 1, type: 'Query' });
      expect(await stranger.hears('a refusal', (line) => line['refused'] === 0)).toHaveProperty('reason');
      await stranger.untilClosed();
    }
    expect((await rig.mailbox()).connectedAt).toBeNull();
  });

  it('hands out mail in order, learns what was handled, and tells the leader both', async () => {
    await rig.host();
    const leader = await rig.leader();
    expect(await leader.attach()).toMatchObject({ handed: [], acked: [], waiting: [] });
    await leader.deliver(mail(3), mail(5), mail(9));
    expect(await leader.attach()).toMatchObject({ waiting: [3, 5, 9] });
    const agent = rig.runtime('one');
    const last = await agent.hears('the last mail', ({ seq }) => seq === 9);
    expect(agent.seqs()).toEqual([3, 5, 9]);
    expect(last).toMatchObject({ type: 'PlanUpdate', from: 'pm', to: 'developer', payload: { seq: 9 } });
    agent.say({ ack: 3 });
    agent.say({ ack: 9 });
    await holds(() => {
      expect(leader.told('acked')).toEqual([3, 9]);
    });
    expect(leader.told('handed')).toEqual([3, 5, 9]);
    expect(leader.told('handed', 'redelivered')).toEqual([]);
    expect(await leader.untilTold('connected')).toMatchObject({ endpoint: 'private' });
    const state = await leader.attach();
    expect([...state.handed].sort()).toEqual([3, 5, 9]);
    expect([...state.acked].sort()).toEqual([3, 9]);
    expect(await rig.mailbox()).toMatchObject({ connectedBy: 'private', compatible: { state: 'listening' } });
  });

  it('accepts a message once it is in the spool, under the name of its endpoint, and once only', async () => {
    const keeper = await rig.host();
    const agent = rig.runtime('one');
    agent.say({ n: 1, type: 'workcomplete', from: 'qa', payload: { taskId: 't1' } });
    await agent.hears('the acceptance', (line) => line['accepted'] === 1);
    await keeper.kill();
    await rig.host({}, { epoch: 2, adopt: await rig.mustProcess() });
    const again = rig.runtime('one');
    again.say({ n: 1, type: 'workcomplete', from: 'qa', payload: { taskId: 't1' } });
    again.say({ n: 2, type: 'Query', to: 'qa', payload: {} });
    await again.hears('the second acceptance', (line) => line['accepted'] === 2);
    expect(again.heard).toContainEqual({ accepted: 1 });
    const leader = await rig.leader(2);
    await leader.attach();
    const [first, second] = await leader.has(2);
    expect(first).toMatchObject({ number: 1, claimedFrom: 'qa', message: { type: 'WorkComplete', from: 'developer' } });
    expect(second).toMatchObject({ number: 2, message: { type: 'Query', to: 'qa' } });
  });

  it('refuses what it cannot take, with the number and the reason, and goes on', async () => {
    await rig.host();
    const agent = rig.runtime('one');
    agent.say({ n: 1, payload: {} });
    agent.write(`${JSON.stringify({ n: 2, type: 'Query', payload: { text: 'x'.repeat(1024 * 1024) } })}\n`);
    agent.say({ n: 3, type: 'Query' });
    await agent.hears('the acceptance', (line) => line['accepted'] === 3);
    const refused = agent.heard.filter((line) => 'refused' in line);
    expect(refused).toMatchObject([{ refused: 1 }, { refused: 2 }]);
    expect(refused.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('no type'),
      expect.stringContaining('longer than 1 MiB'),
    ]);
  });

  it('carries a message of nearly 1 MiB in both directions', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    const text = '€'.repeat(349_000);
    await leader.deliver(mail(1, { payload: { text } }));
    const agent = rig.runtime('one');
    expect(await agent.hears('the mail', ({ seq }) => seq === 1)).toMatchObject({ payload: { text } });
    agent.say({ n: 1, type: 'Response', payload: { text } });
    expect(await leader.has(1)).toMatchObject([{ message: { payload: { text } } }]);
  });

  it('gives the next process what an earlier one did not handle, and says so; the same process only again', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1), mail(2));
    const first = rig.runtime('one');
    await first.hears('mail', ({ seq }) => seq === 2);
    first.say({ ack: 1 });
    await holds(() => {
      expect(leader.told('acked')).toEqual([1]);
    });
    const again = rig.runtime('one');
    expect(await again.hears('mail', ({ seq }) => seq === 2)).not.toHaveProperty('redelivered');
    await first.untilClosed();
    again.socket.destroy();
    await leader.untilTold('disconnected');
    const next = rig.runtime('two');
    expect(await next.hears('mail', ({ seq }) => seq === 2)).toMatchObject({ redelivered: true });
    expect(next.seqs()).toEqual([2]);
    await holds(() => {
      expect(leader.told('handed', 'redelivered')).toEqual([2]);
    });
  });

  it('gives the next process nothing that an earlier one was through with, also where nobody read its acknowledgement', async () => {
    const keeper = await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1), mail(2), mail(3), mail(4));
    const first = rig.runtime('one');
    await first.hears('mail', ({ seq }) => seq === 4);
    // It began the third, and was killed together with its keeper.
    const process = await rig.mustProcess();
    await keeper.kill();
    await rig.host({}, { epoch: 2, adopt: process });
    const next = rig.runtime('two', { cursor: 3 });
    await next.hears('mail', ({ seq }) => seq === 4);
    expect(next.heard).toMatchObject([
      { seq: 3, redelivered: true },
      { seq: 4, redelivered: true },
    ]);
    // It began no other by that cursor, whatever it did with the third.
    next.socket.destroy();
    const last = rig.runtime('three', { cursor: 3 });
    await last.hears('mail', ({ seq }) => seq === 4);
    expect(last.seqs()).toEqual([3, 4]);
    expect((await (await rig.leader(2)).attach()).acked).toEqual([1, 2]);
  });

  it('leaves the mail with the agent while a helper of it connects, sends and leaves', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    const agent = rig.runtime('one');
    await leader.untilTold('connected');
    const helper = rig.runtime('two');
    helper.say({ n: 1, type: 'AgentStatus', payload: { status: 'working' } });
    await helper.hears('the acceptance', (line) => line['accepted'] === 1);
    await leader.deliver(mail(1));
    await agent.hears('mail', ({ seq }) => seq === 1);
    helper.socket.end();
    await helper.untilClosed();
    expect(helper.seqs()).toEqual([]);
    expect(await leader.has(1)).toMatchObject([{ message: { type: 'AgentStatus', from: 'developer' } }]);
    expect(leader.events.map(({ event }) => event)).not.toContain('disconnected');
  });

  it('keeps mail on the disk while the agent has much that it did not handle', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(...Array.from({ length: 300 }, (_, index) => mail(index + 1)));
    const agent = rig.runtime('one');
    await agent.hears('mail', ({ seq }) => seq === 64);
    expect((await leader.attach()).waiting).toHaveLength(300 - 64);
    agent.seqs().forEach((seq) => {
      agent.say({ ack: seq });
    });
    await agent.hears('more mail', ({ seq }) => seq === 128);
  });
});

describe('the spool', () => {
  it.runIf(process.getuid?.() === 0)(
    'takes nothing on a full disk, says so, and goes on where there is room',
    async () => {
      execFileSync('mkdir', ['-p', rig.folder]);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', rig.folder]);
      try {
        const ballast = join(rig.folder, 'ballast');
        await rig.host();
        const leader = await rig.leader();
        await leader.attach();
        const agent = rig.runtime('one');
        await leader.untilTold('connected');
        execFileSync('sh', ['-c', `cat /dev/zero > '${ballast}' 2>/dev/null || true`]);
        const ways = Array.from({ length: 50 }, (_, index) => index + 1);
        ways.forEach((n) => {
          agent.say({ n, type: 'Query', payload: { text: 'x'.repeat(1_000) } });
        });
        await expect(leader.deliver(mail(1, { payload: { text: 'x'.repeat(5_000) } }))).rejects.toThrow('ENOSPC');
        await holds(() => {
          expect(readFileSync(rig.order.logFile, 'utf8')).toMatch(
            /Messages of the agent wait, .*ENOSPC.* Make room for /,
          );
        });
        const before = agent.heard.length;
        expect(before).toBeLessThan(50);
        await rig.remove(ballast);
        await agent.hears('the last acceptance', (line) => line['accepted'] === 50);
        expect((await leader.has(50)).map(({ number }) => number)).toEqual(ways);
        await leader.deliver(mail(1), mail(2));
        await agent.hears('mail', ({ seq }) => seq === 2);
        expect(agent.seqs()).toEqual([1, 2]);
      } finally {
        execFileSync('umount', ['-l', rig.folder]);
      }
    },
  );
});

describe('the way to the leader', () => {
  it('begins behind what the leader has, and the spool forgets that', async () => {
    await rig.host();
    const agent = rig.runtime('one');
    for (const n of [1, 2, 3, 4]) {
      agent.say({ n, type: 'Query', payload: { n } });
    }
    await agent.hears('the acceptance', (line) => line['accepted'] === 4);
    const first = await rig.leader();
    await first.attach(0);
    expect((await first.has(4)).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    const second = await rig.leader(2);
    await second.attach(2);
    expect((await second.has(2)).map(({ number }) => number)).toEqual([3, 4]);
    await second.client.request('taken', { upTo: 3 });
    const third = await rig.leader(3);
    await third.attach(0);
    expect((await third.has(1)).map(({ number }) => number)).toEqual([4]);
  });

  it('counts on behind what the leader has where the spool was lost', async () => {
    const keeper = await rig.host();
    await keeper.kill();
    await rig.remove(join(rig.folder, 'spool.jsonl'));
    await rig.host({}, { epoch: 2, adopt: await rig.mustProcess() });
    const agent = rig.runtime('one');
    agent.say({ n: 1, type: 'Query' });
    await agent.hears('the acceptance', (line) => line['accepted'] === 1);
    const leader = await rig.leader(2);
    await leader.attach(7);
    agent.say({ n: 2, type: 'Query' });
    expect((await leader.has(2)).map(({ number }) => number)).toEqual([8, 9]);
  });

  it('is closed to those who only look, and to a leader that is none any more', async () => {
    await rig.host();
    const onlooker = await rig.leader(0);
    await expect(onlooker.attach()).rejects.toMatchObject({ code: 'not-leader' });
    await expect(onlooker.deliver(mail(1))).rejects.toMatchObject({ code: 'not-leader' });
    const old = await rig.leader(1);
    await old.attach();
    await rig.leader(2);
    await expect(old.deliver(mail(1))).rejects.toMatchObject({ code: 'stale-epoch' });
  });

  it('doubles no mail that is delivered again, before or after it was handled', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    const [one, two] = [mail(1), mail(2)];
    await leader.deliver(one, two, one);
    const agent = rig.runtime('one');
    await agent.hears('mail', ({ seq }) => seq === 2);
    agent.say({ ack: 1 });
    await holds(() => {
      expect(leader.told('acked')).toEqual([1]);
    });
    await leader.deliver(one, two, mail(3));
    await agent.hears('mail', ({ seq }) => seq === 3);
    expect(agent.seqs()).toEqual([1, 2, 3]);
  });

  it('takes back what the agent did not get, and nothing else', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1));
    const agent = rig.runtime('one');
    await agent.hears('mail', ({ seq }) => seq === 1);
    agent.socket.destroy();
    await leader.untilTold('disconnected');
    await leader.deliver(mail(2), mail(3));
    expect(await leader.client.request('withdraw', { seqs: [1, 2, 7] })).toEqual([2]);
    const next = rig.runtime('two');
    await next.hears('mail', ({ seq }) => seq === 3);
    expect(next.seqs()).toEqual([1, 3]);
  });
});

describe('the keeper of an agent', () => {
  it('gives its process the endpoint, the token and the places, and listens before it runs', async () => {
    const show =
      'test -S "$ROLLCALL_ENDPOINT" && echo listening; env | grep -e ROLLCALL -e TMPDIR | sort; exec sleep 600';
    await rig.start(rig.agentSpec({}, { command: 'sh', args: ['-c', show] }));
    const log = await eventually(async () => {
      const text = readFileSync(rig.order.logFile, 'utf8');
      expect(text).toContain('TMPDIR');
      return await Promise.resolve(text);
    });
    expect(log).toContain('listening\n');
    expect(log).toContain(`ROLLCALL_ENDPOINT=${rig.order.privateEndpoint}\n`);
    expect(log).toContain('ROLLCALL_AGENT=developer\n');
    expect(log).toContain(`ROLLCALL_SESSION_DIR=${join(rig.root, '.claude/session')}\n`);
    expect(log).toContain(`ROLLCALL_CURSOR=${join(rig.folder, 'cursor')}\n`);
    expect(log).toContain(`TMPDIR=${rig.tempDir}\n`);
    expect(log).not.toContain(rig.order.token);
  });

  it('writes no file of a background worker', async () => {
    const keeper = await rig.start(rig.agentSpec({}, { command: 'sh', args: ['-c', 'exit 7'] }));
    await keeper.ended;
    await expect(rig.read('status.json')).rejects.toThrow('ENOENT');
    await expect(rig.read('error.log')).rejects.toThrow('ENOENT');
    await expect(rig.read('stop-requested')).rejects.toThrow('ENOENT');
    expect((await rig.mustRecord()).attempts).toMatchObject([{ exit: { code: 7, class: 'crash' } }]);
  });

  it('calls exit 0 done where the agent need not connect', async () => {
    const keeper = await rig.start(rig.agentSpec({ connectMs: null }, { command: 'true' }));
    await keeper.ended;
    expect((await rig.mustRecord()).attempts).toMatchObject([{ exit: { class: 'done' } }]);
  });

  it('ends an agent that does not connect in time as never started, without a stop that would forbid a restart', async () => {
    const keeper = await rig.host({ connectMs: 300 });
    await keeper.ended;
    const { attempts, stop } = await rig.mustRecord();
    expect(attempts).toMatchObject([{ exit: { class: 'never started', reason: 'never connected', forced: true } }]);
    expect(stop).toBeNull();
  });

  it('leaves an agent alone that connected in time, and one that a person may start at any time', async () => {
    await rig.host({ connectMs: 20_000 });
    rig.runtime('one');
    await holds(async () => {
      expect((await rig.mailbox()).connectedAt).not.toBeNull();
    });
  });

  it.each([
    ['0 without ever having connected', '0', false, 'exit 0 unconnected'],
    ['0 when it had connected', '0', true, 'done'],
    ['42, because it was told to shut down', '42', true, 'asked to stop'],
    ['any other code as a crash', '3', true, 'crash'],
  ])('calls exit %s', async (_what, code, connects, expected) => {
    const wait = 'while ! test -e go; do sleep 0.05; done';
    const command = { command: 'sh', args: ['-c', `${wait}; exit ${code}`] };
    const keeper = await rig.start(rig.agentSpec({ connectMs: 60_000 }, command));
    if (connects) {
      rig.existing();
      await holds(async () => {
        expect((await rig.mailbox()).connectedBy).toBe('compatible');
      });
    }
    await rig.write('go');
    await keeper.ended;
    expect((await rig.mustRecord()).attempts).toMatchObject([{ exit: { class: expected } }]);
  });

  it('keeps what an agent said last before it ended', async () => {
    const script = `const s = require('net').connect(process.env.ROLLCALL_ENDPOINT);
      s.write(JSON.stringify({ hello: 1, token: process.env.ROLLCALL_TOKEN, run: 'r', cursor: 0 }) + '\\n');
      for (let n = 1; n <= 500; n += 1) s.write(JSON.stringify({ n, type: 'Query', payload: {} }) + '\\n');
      s.end(() => process.exit(0));`;
    const keeper = await rig.start(rig.agentSpec({}, { command: process.execPath, args: ['-e', script] }));
    const leader = await rig.leader();
    await leader.attach();
    await keeper.ended;
    expect(await leader.has(500)).toHaveLength(500);
    const names = leader.events.map(({ event }) => event);
    expect(names.lastIndexOf('accepted')).toBeLessThan(names.indexOf('exit'));
    expect(leader.events.at(-1)).toMatchObject({ event: 'exit', params: { class: 'done' } });
  });

  it.each([
    ['0', 'done with', [1, 2]],
    ['42', 'done with', [1, 2]],
    ['3', 'not done with', [1]],
  ])('takes what a process began that leaves with %s in the middle of it for %s', async (code, _what, acked) => {
    const leaving = { command: 'sh', args: ['-c', `while ! test -e go; do sleep 0.05; done; exit ${code}`] };
    const keeper = await rig.start(rig.agentSpec({}, leaving));
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1), mail(2), mail(3));
    const agent = rig.runtime('one', { cursor: 0 });
    await agent.hears('mail', ({ seq }) => seq === 3);
    agent.say({ ack: 1 });
    writeFileSync(join(rig.folder, 'cursor'), '2');
    agent.socket.end();
    await rig.write('go');
    await keeper.ended;
    await holds(() => {
      expect(leader.told('acked')).toEqual(acked);
    });
  });

  it('takes nothing for done with that only an earlier process began', async () => {
    const leaving = { command: 'sh', args: ['-c', 'while ! test -e go; do sleep 0.05; done; exit 0'] };
    const keeper = await rig.start(rig.agentSpec({}, leaving));
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1));
    writeFileSync(join(rig.folder, 'cursor'), '1');
    const agent = rig.runtime('two', { cursor: 1 });
    expect(await agent.hears('mail', ({ seq }) => seq === 1)).toHaveProperty('redelivered', true);
    agent.socket.end();
    await rig.write('go');
    await keeper.ended;
    await leader.untilTold('exit');
    expect(leader.told('acked')).toEqual([]);
  });

  it('stops it politely by System/shutdown on every connection, also on one that comes later', async () => {
    const keeper = await rig.host();
    const leader = await rig.leader();
    const [ours, theirs] = [rig.runtime('one'), rig.existing()];
    await leader.attach();
    await leader.untilTold('connected');
    await holds(async () => {
      expect((await rig.mailbox()).connectedAt).not.toBeNull();
    });
    const isShutdown = (line: Record<string, unknown>): boolean =>
      line['type'] === 'System' && (line['payload'] as { systemEvent?: string }).systemEvent === 'shutdown';
    await leader.client.request('stop', { requestedBy: 'test', force: false });
    expect(await ours.hears('the shutdown', isShutdown)).toMatchObject({ seq: 0, from: 'watchdog', to: 'developer' });
    await theirs.hears('the shutdown', isShutdown);
    await rig.runtime('two').hears('the shutdown', isShutdown);
    await leader.client.request('stop', { requestedBy: 'test', force: false });
    await keeper.ended;
    const { attempts, stop } = await rig.mustRecord();
    expect(stop?.steps.map(({ step }) => step)).toEqual(['asked', 'terminate', 'verified']);
    expect(attempts).toMatchObject([{ exit: { class: 'asked to stop', requestedBy: 'test' } }]);
  });

  it('hosts the endpoints of an agent that a person starts, until it is stopped', async () => {
    const keeper = await rig.host({ byHand: true });
    expect(keeper.ready).toMatchObject({ ready: true, process: null });
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1));
    const agent = rig.existing();
    await agent.hears('mail', ({ payload }) => (payload as { seq?: number }).seq === 1);
    agent.socket.on('data', () => {
      agent.socket.end();
    });
    await leader.client.request('stop', { requestedBy: 'test', force: false });
    expect(await keeper.ended).toBe(0);
    const { attempts, process } = await rig.mustRecord();
    expect(process).toBeNull();
    expect(attempts).toMatchObject([{ process: null, exit: { class: 'asked to stop' } }]);
  });

  it('goes on with the mail and its runtime when the keeper was killed', async () => {
    const keeper = await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    await leader.deliver(mail(1), mail(2));
    const agent = rig.runtime('one');
    await agent.hears('mail', ({ seq }) => seq === 2);
    agent.say({ ack: 1 });
    await holds(() => {
      expect(leader.told('acked')).toEqual([1]);
    });
    await keeper.kill();
    await agent.untilClosed();
    const process = await rig.mustProcess();
    await rig.host({ connectMs: 300 }, { epoch: 2, adopt: process });
    const again = rig.runtime('one', { cursor: 2 });
    await again.hears('mail', ({ seq }) => seq === 2);
    expect(again.seqs()).toEqual([2]);
    const next = await rig.leader(2);
    const state = await next.attach();
    expect([...state.handed].sort()).toEqual([1, 2]);
    expect(state.acked).toEqual([1]);
    expect((await rig.mustRecord()).attempts).toMatchObject([{ process, exit: null }]);
  });

  it('ends an existing agent whose keeper was killed, because it would only spin, and says so', async () => {
    const keeper = await rig.host();
    const agent = rig.existing();
    await holds(async () => {
      expect((await rig.mailbox()).connectedBy).toBe('compatible');
    });
    await keeper.kill();
    await agent.untilClosed();
    const process = await rig.mustProcess();
    const next = await rig.host({}, { epoch: 2, adopt: process });
    await next.ended;
    await untilGone(process);
    const { attempts, stop } = await rig.mustRecord();
    expect(attempts).toMatchObject([{ exit: { class: 'crash', reason: expect.stringContaining('was killed') } }]);
    expect(stop).toBeNull();
  });

  it('listens again on a socket file that somebody removed', async () => {
    await rig.host();
    await rig.remove(rig.order.compatibleEndpoint ?? '', rig.order.privateEndpoint);
    await eventually(async () => {
      const agent = rig.runtime('one');
      agent.say({ n: 1, type: 'Query' });
      await new Promise((resolve) => agent.socket.once('connect', resolve).once('error', resolve));
      expect(agent.socket.connecting || agent.socket.destroyed).toBe(false);
    });
  });
});

describe('the endpoint of existing agents', () => {
  it('belongs to whoever was first, is told to the second by name, and is taken when it is free', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(rig.order.compatibleEndpoint, resolve));
    await rig.host();
    expect((await rig.mailbox()).compatible).toMatchObject({ state: 'held', holder: null });
    expect(readFileSync(rig.order.logFile, 'utf8')).toContain('is held by another program');
    await new Promise((resolve) => other.close(resolve));
    await holds(async () => {
      expect((await rig.mailbox()).compatible).toMatchObject({ state: 'listening' });
    });
  });

  it('is told by the name of the project that holds it, and goes to the one that waits', async () => {
    const first = await rig.host({ byHand: true });
    const elsewhere = { folder: join(rig.root, 'other/.claude/session/keepers/developer') };
    const order = { ...rig.order, byHand: true, privateEndpoint: join(rig.runtimeDir, 'other.sock') } as const;
    await rig.start(rig.agentSpec(order, {}, { ...elsewhere, workerId: 'developer', root: '/elsewhere' }));
    const standing = (): unknown => {
      const record = JSON.parse(readFileSync(join(elsewhere.folder, 'keeper.json'), 'utf8')) as KeeperRecord;
      return record.mailbox?.compatible;
    };
    expect(standing()).toMatchObject({ state: 'held', holder: rig.root });
    const leader = await rig.leader();
    await leader.client.request('stop', { requestedBy: 'test', force: false });
    await first.ended;
    await holds(() => {
      expect(standing()).toMatchObject({ state: 'listening', holder: null });
    });
  });

  it('goes on while more connections come than any agent needs', async () => {
    await rig.host();
    const leader = await rig.leader();
    await leader.attach();
    const agent = rig.existing();
    await leader.has(1);
    const flood = Array.from({ length: 200 }, () => rig.raw(rig.order.compatibleEndpoint ?? ''));
    await holds(() => {
      expect(flood.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(100);
    });
    await leader.deliver(mail(1));
    await agent.hears('the mail', ({ type }) => type === 'PlanUpdate');
  });

  it('replaces a socket that nobody answers on, for this user only, and removes it at the end', async () => {
    const first = await rig.host();
    await first.kill();
    await rig.host({}, { epoch: 2, adopt: await rig.mustProcess() });
    expect((await rig.mailbox()).compatible).toMatchObject({ state: 'listening', trouble: null });
    expect(rig.modeOf(rig.order.compatibleEndpoint ?? '')).toBe(0o600);
    const leader = await rig.leader(2);
    await leader.client.request('stop', { requestedBy: 'test', force: true });
    await holds(() => {
      expect(rig.modeOf(rig.order.compatibleEndpoint ?? '')).toBeNull();
    });
  });

  it('is never a name that the system cut', async () => {
    const long = join(rig.tempDir, 'x'.repeat(90));
    await rig.host({ compatibleEndpoint: join(long, 'CoreFxPipe_ralph-developer-main') });
    const { compatible } = await rig.mailbox();
    expect(compatible?.state).toBe('failed');
    expect(compatible?.trouble).toContain('Use a shorter temp folder');
  });
});
