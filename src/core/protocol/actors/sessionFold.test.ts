import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aMessage, instantOf, lineOf, momentOf, sent } from '../../../../test/support/sessionLines';
import { anExit } from '../../../../test/support/workerFacts';
import { readEventLine } from '../events/eventLine';
import { agentMessages } from './agentMessages';
import { agentStatusDocument } from './agentStatusDocument';
import { inboxItems } from './inboxItems';
import type { Message } from './message';
import { formatSessionLine, type SessionEvent } from './sessionEvent';
import { SessionFold } from './sessionFold';
import { emptySession, type AgentMoment, type SessionMoment } from './sessionMoment';
import { formatSession, readSession } from './sessionText';
import { undeliveredText } from './undeliveredText';

const names = ['pm', 'developer', 'qa'] as const;
const name = fc.constantFrom(...names);
const seqBefore = fc.integer({ min: 1, max: 60 });

const message: fc.Arbitrary<Message> = fc
  .record(
    {
      id: fc.constantFrom('m-1', 'm-2', 'm-3'),
      type: fc.constantFrom(
        ...['Query', 'WorkBlocked', 'WorkAssign', 'WorkComplete', 'Response', 'AgentStatus', 'CLIInvoke', 'Odd'],
      ),
      from: name,
      to: fc.constantFrom(...names, 'watchdog', '*'),
      inReplyTo: fc.constantFrom('m-1', 'm-2', 'm-3'),
      payload: fc.record({ taskId: fc.constantFrom('t-1', 't-2'), status: fc.string() }, { requiredKeys: [] }),
    },
    { requiredKeys: ['id', 'type', 'from', 'to', 'payload'] },
  )
  .map(aMessage);

const ofAgent = fc.constantFrom(
  'AgentListening',
  'AgentStarting',
  'AgentStarted',
  'AgentConnected',
  'AgentDisconnected',
  'AgentStopRequested',
  'AgentExited',
  'AgentCrashed',
  'AgentRestartScheduled',
  'AgentRestartCancelled',
  'AgentParked',
  'AgentGaveUp',
);
const agentData = fc.record(
  {
    agent: name,
    cause: fc.constantFrom('session', 'restart'),
    pid: fc.nat(9),
    startTime: fc.constant('1'),
    exitCode: fc.constantFrom(0, 1, 42, null),
    lastLine: fc.constantFrom('a', 'b'),
    exit: fc.constant(anExit()),
    attempt: fc.nat(5),
    at: fc.constant('2026-03-01T14:30:00.000Z'),
    by: fc.constant('cli'),
    reason: fc.string(),
  },
  { requiredKeys: ['agent'] },
);
type Loose = { readonly type: string; readonly data: object };
const event: fc.Arbitrary<Loose> = fc.oneof(
  fc.record({ type: ofAgent, data: agentData }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('MessageSent'),
      data: fc.record(
        {
          message,
          recipients: fc.uniqueArray(name),
          number: fc.option(fc.nat(50)),
          starts: fc.uniqueArray(name),
          inbox: fc.constantFrom('act', 'copy'),
          call: seqBefore,
        },
        { requiredKeys: ['message', 'recipients', 'number'] },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('MessageDelivered', 'MessageAcked', 'MessageExpired', 'MessageUndeliverable'),
      data: fc.record({ id: fc.constant('m'), seq: seqBefore, agent: name, reason: fc.constant('too long') }),
    }),
  },
  fc.record({
    type: fc.constantFrom('InboxAnswered', 'InboxDismissed', 'InboxSnoozed'),
    data: fc.record({
      item: fc.oneof(
        seqBefore.map((seq) => `msg:${String(seq)}`),
        name.map((of) => `agent:${of}:failed`),
      ),
    }),
  }),
  fc.record({
    type: fc.constantFrom('SessionStarted', 'SessionStopped', 'TurnStarted', 'SequenceEnded', 'OfTomorrow'),
    data: fc.record({
      sessionId: fc.constant('s'),
      mode: fc.constant('sequential'),
      agent: name,
      iteration: fc.nat(3),
    }),
  }),
);
const events = fc.array(event, { maxLength: 60 });

function agentIn(moment: SessionMoment, agent = 'developer'): AgentMoment {
  const found = moment.agents.get(agent);
  if (found === undefined) {
    throw new Error(`${agent} is not in the log`);
  }
  return found;
}

describe('a line of a session', () => {
  it('holds a long message whole, in ASCII, and is read again as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1_200, maxLength: 3_000 }), (text) => {
        const line = lineOf(sent(aMessage({ payload: { text } }), ['pm']), 7);
        const written = formatSessionLine(line);
        expect(written).toMatch(/^[\x20-\x7f]*\n$/);
        expect(readEventLine(written)).toEqual(JSON.parse(JSON.stringify(line)));
      }),
    );
  });
});

describe('the fold of a session', () => {
  it('is the same from any snapshot on', () => {
    fc.assert(
      fc.property(events, fc.nat(60), (some, cut) => {
        const snapshot = readSession(formatSession(momentOf(some.slice(0, cut))));
        expect(snapshot).not.toBeNull();
        const after = momentOf(some.slice(cut), snapshot ?? emptySession());
        expect(formatSession(after)).toBe(formatSession(momentOf(some)));
      }),
      { numRuns: 300 },
    );
  });

  it('never throws, whatever stands in the log, and what it tells can be written and shown', () => {
    const junk = fc.record({
      type: fc.oneof(ofAgent, fc.constant('MessageSent'), fc.string()),
      data: fc.dictionary(
        fc.constantFrom('agent', 'message', 'recipients', 'seq', 'number', 'exit', 'item', 'iteration', 'status'),
        fc.jsonValue(),
      ),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(event, junk), { maxLength: 60 }), (some) => {
        const moment = momentOf(some);
        expect(moment.seq).toBe(some.length);
        expect(readSession(formatSession(moment))).not.toBeNull();
        inboxItems(moment, 1);
        undeliveredText(moment, 1);
        agentStatusDocument(moment);
      }),
    );
  });

  it('knows exactly what each agent has not got yet, in the order in which it was sent', () => {
    fc.assert(
      fc.property(events, (some) => {
        const owed = new Map<string, number[]>();
        for (const [index, { type, data }] of some.entries()) {
          const {
            recipients = [],
            agent = '',
            seq = 0,
          } = data as { recipients?: string[]; agent?: string; seq?: number };
          for (const to of type === 'MessageSent' ? recipients : []) {
            owed.set(to, [...(owed.get(to) ?? []), index + 1]);
          }
          if (/^Message(Delivered|Acked|Expired|Undeliverable)$/.test(type)) {
            owed.set(
              agent,
              (owed.get(agent) ?? []).filter((one) => one !== seq),
            );
          }
        }
        const moment = momentOf(some);
        const waiting = names.map((of) => [...(moment.agents.get(of)?.waiting ?? [])]);
        expect(waiting).toEqual(names.map((of) => owed.get(of) ?? []));
        expect([...moment.mail.keys()]).toEqual([...new Set(waiting.flat())].sort((a, b) => a - b));
      }),
      { numRuns: 300 },
    );
  });

  it('holds no more than what is on its way and what is shown, however long the log is', () => {
    const fold = new SessionFold(emptySession());
    for (let seq = 1; seq <= 30_000; seq += 3) {
      const type = ['Query', 'WorkBlocked', 'WorkComplete', 'Odd'][seq % 4] ?? '';
      const one = aMessage({
        id: `m-${String(seq)}`,
        type,
        payload: { text: 'x'.repeat(seq % 5_000), taskId: String(seq) },
      });
      fold.apply(lineOf(sent(one, ['pm'], { inbox: 'copy', number: seq }), seq));
      fold.apply(lineOf({ type: 'MessageDelivered', data: { id: one.id, seq, agent: 'pm' } }, seq + 1));
      fold.apply(lineOf({ type: 'MessageAcked', data: { id: one.id, seq, agent: 'pm' } }, seq + 2));
    }
    const { mail, items, recent, agents } = fold.moment;
    expect([mail.size, recent.size, agents.get('developer')?.asked.size]).toEqual([0, 20, 100]);
    expect(items.size).toBeLessThanOrEqual(1_000);
    expect(agents.get('developer')?.taken).toBe(29_998);
  });

  it('reads no damaged snapshot as one', () => {
    const text = formatSession(momentOf([sent(aMessage(), ['pm'], { inbox: 'act' })]));
    for (const damaged of [
      '',
      '{}',
      text.slice(0, -9),
      text.replace('"taken":1', '"taken":"1"'),
      text.replace('"v":1', '"v":2'),
      text.replace('"type":"Query"', '"type":1'),
    ]) {
      expect(readSession(damaged)).toBeNull();
    }
  });
});

describe('an agent in the log', () => {
  const started: readonly SessionEvent[] = [
    { type: 'AgentStarting', data: { agent: 'developer', cause: 'session' } },
    { type: 'AgentStarted', data: { agent: 'developer', pid: 7, startTime: '1' } },
  ];
  const after = (...more: readonly SessionEvent[]): AgentMoment => agentIn(momentOf([...started, ...more]));
  const exited = (exitCode: number | null): SessionEvent => ({
    type: 'AgentExited',
    data: { agent: 'developer', exitCode },
  });
  const crashed = (lastLine: string): SessionEvent => ({
    type: 'AgentCrashed',
    data: { agent: 'developer', exitCode: 3, lastLine },
  });
  const asked: SessionEvent = { type: 'AgentStopRequested', data: { agent: 'developer', by: 'cli' } };
  const scheduled = (attempt: number): SessionEvent => ({
    type: 'AgentRestartScheduled',
    data: { agent: 'developer', attempt, at: instantOf(99) },
  });

  it('is starting, then running with its process, and by hand only while it is connected', () => {
    expect(momentOf(started.slice(0, 1)).agents.get('developer')).toMatchObject({ state: 'starting', process: null });
    expect(after()).toMatchObject({
      state: 'running',
      process: { pid: 7, startTime: '1' },
      startedAt: instantOf(1),
      readyAt: instantOf(2),
    });
    const listening: SessionEvent = { type: 'AgentListening', data: { agent: 'qa', by: 'cli' } };
    const here: SessionEvent = { type: 'AgentConnected', data: { agent: 'qa', endpoint: 'private' } };
    expect(agentIn(momentOf([listening, here]), 'qa')).toMatchObject({ state: 'running', connected: true });
    const gone: SessionEvent = { type: 'AgentDisconnected', data: { agent: 'qa' } };
    expect(agentIn(momentOf([listening, here, gone]), 'qa')).toMatchObject({ state: 'starting', connected: false });
  });

  it.each([
    ['completed', 0, []],
    ['stopped', 42, []],
    ['stopped', 0, [asked]],
    ['stopped', null, [asked]],
  ] as const)('is %s after exit %s', (state, exitCode, before) => {
    expect(after(...before, exited(exitCode))).toMatchObject({
      state,
      exitCode,
      endedAt: instantOf(3 + before.length),
    });
  });

  it('waits for its restart after a crash, counts it, and begins to count anew when somebody else starts it', () => {
    const backoff = [crashed('boom'), scheduled(2)];
    expect(after(...backoff)).toMatchObject({
      state: 'backoff',
      restarts: 2,
      waitsUntil: instantOf(99),
      restartedAt: [instantOf(4)],
    });
    const again = (cause: 'restart' | 'person'): SessionEvent => ({
      type: 'AgentStarting',
      data: { agent: 'developer', cause },
    });
    expect(after(...backoff, again('restart'))).toMatchObject({
      state: 'starting',
      restarts: 2,
      waitsUntil: null,
      exitCode: null,
    });
    expect(after(...backoff, again('person'))).toMatchObject({ restarts: 0, restartedAt: [instantOf(4)] });
    expect(after(...backoff, asked)).toMatchObject({ state: 'stopped', stopBy: 'cli', waitsUntil: null, held: true });
  });

  it('remembers how often it ended in the same way', () => {
    expect(after(crashed('a'), crashed('a'), crashed('a')).sameEnd).toEqual({ exitCode: 3, lastLine: 'a', times: 3 });
    expect(after(crashed('a'), crashed('b')).sameEnd?.times).toBe(1);
    expect(after(crashed('a'), exited(0)).sameEnd).toBeNull();
  });

  it('is held back by a stop or by being given up, until it is started or a new session begins', () => {
    const gaveUp: SessionEvent = { type: 'AgentGaveUp', data: { agent: 'developer', reason: 'r' } };
    const session: SessionEvent = { type: 'SessionStarted', data: { sessionId: 's', mode: 'event-driven', by: 'cli' } };
    for (const hold of [
      [asked, exited(42)],
      [crashed('a'), gaveUp],
    ]) {
      expect(after(...hold).held).toBe(true);
      expect(after(...hold, session).held).toBe(false);
      expect(after(...hold, ...started).held).toBe(false);
    }
  });

  it('is told in agent-status.json with the newest event that named it', () => {
    const moment = momentOf([...started, sent(aMessage({ from: 'qa' }), ['developer'])]);
    expect(JSON.parse(agentStatusDocument(moment))).toEqual({
      developer: { state: 'running', pid: 7, lastEvent: 2, lastEventTime: instantOf(2) },
      qa: { state: 'stopped', pid: null, lastEvent: 3, lastEventTime: instantOf(3) },
    });
  });

  it('says what it does in its own status', () => {
    const said = aMessage({ type: 'AgentStatus', to: 'watchdog', payload: { status: 'working', currentTask: 't-1' } });
    expect(agentIn(momentOf([sent(said)]))).toMatchObject({ status: 'working', currentTask: 't-1', taken: 1 });
  });
});

describe('a call in the log', () => {
  const invoke = aMessage({ id: 'c-1', type: 'CLIInvoke', to: 'watchdog' });
  const complete = aMessage({ id: 'c-2', type: 'CLIComplete', from: 'watchdog', to: 'developer', inReplyTo: 'c-1' });
  const answer = (call: number) => sent(complete, ['developer'], { number: null, call });

  it('is open until its own answer, also where another has the same id', () => {
    const asked = [sent(invoke), sent(invoke, [], { number: 2 })];
    expect([...momentOf(asked).calls.keys()]).toEqual([1, 2]);
    expect(momentOf(asked).calls.get(1)).toEqual({ message: invoke, sentAt: instantOf(1) });
    expect([...momentOf([...asked, answer(2)]).calls.keys()]).toEqual([1]);
    expect([...momentOf([...asked, answer(2), answer(1)]).calls.keys()]).toEqual([]);
  });

  it('is none where it goes to an agent, or no agent sent it', () => {
    const others = [sent({ ...invoke, to: 'qa' }, ['qa']), sent(invoke, [], { number: null })];
    expect(momentOf(others).calls.size).toBe(0);
  });
});

describe('messages in the log', () => {
  it('are shown to sender and recipient with how far they came', () => {
    const moment = momentOf([
      sent(aMessage({ from: 'pm', to: '*' }), ['developer', 'qa']),
      { type: 'MessageDelivered', data: { id: 'm-1', seq: 1, agent: 'qa' } },
      { type: 'MessageAcked', data: { id: 'm-1', seq: 1, agent: 'qa' } },
      { type: 'MessageDelivered', data: { id: 'm-1', seq: 1, agent: 'qa' } },
    ]);
    const stages = (['pm', 'developer', 'qa'] as const).map((of) => agentMessages(moment, of)[0]?.stage);
    expect(stages).toEqual(['waiting', 'waiting', 'acked']);
    expect(agentMessages(moment, 'nobody')).toEqual([]);
  });

  it('are clipped where they are only shown, and whole where they are delivered from', () => {
    const long = aMessage({
      payload: { text: 'x'.repeat(100_000), list: Array.from({ length: 9_000 }, (_none, at) => [at]) },
    });
    const moment = momentOf([sent(long, ['pm'], { inbox: 'copy' })]);
    expect(moment.mail.get(1)?.message).toBe(long);
    expect(JSON.stringify(agentMessages(moment, 'pm')).length).toBeLessThan(4_000);
    expect(JSON.stringify(inboxItems(moment, 0)).length).toBeLessThan(50_000);
  });

  it('that nobody got are in undelivered.jsonl until when they wait', () => {
    const text = undeliveredText(momentOf([sent(aMessage({ payload: { q: 'ü' } }), ['pm', 'qa'])]), 3_600_000);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { agent: 'pm', message: { payload: { q: 'ü' } }, timestamp: instantOf(1), expiresAt: instantOf(61) },
      { agent: 'qa' },
    ]);
  });
});
