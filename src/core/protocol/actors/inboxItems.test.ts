import { describe, expect, it } from 'vitest';
import { anExit } from '../../../../test/support/workerFacts';
import { aMessage, instantOf, momentOf, sent } from '../../../../test/support/sessionLines';
import { inboxItems } from './inboxItems';
import type { Message } from './message';
import type { SessionEvent } from './sessionEvent';
import type { InboxItem } from './sessionSnapshot';
import { gaveUpText } from './sessionTexts';

const NOW = Date.parse(instantOf(0));

function itemsAfter(...events: readonly SessionEvent[]): readonly InboxItem[] {
  return inboxItems(momentOf(events), NOW);
}
const toPerson = (rest: Partial<Message>): SessionEvent => sent(aMessage(rest), [], { inbox: 'act' });
const question = toPerson({ payload: { question: 'Which\u001b[31m\nport?' } });
const blocked = toPerson({ id: 'm-2', type: 'WorkBlocked', payload: { taskId: 't-1', reason: 'no access' } });
const problem = toPerson({ id: 'm-3', type: 'ProblemReport', payload: { taskId: 't-1', description: 'it burns' } });

describe('the inbox', () => {
  it('has what was asked, blocked and reported, oldest first, in words that are safe on one line', () => {
    const items = itemsAfter(blocked, question, problem);
    expect(items.map(({ id, kind, text, since }) => ({ id, kind, text, since }))).toEqual([
      { id: 'msg:1', kind: 'blocked', text: 't-1: no access', since: Date.parse(instantOf(1)) },
      { id: 'msg:2', kind: 'question', text: 'Which port?', since: Date.parse(instantOf(2)) },
      { id: 'msg:3', kind: 'problem', text: 't-1: it burns', since: Date.parse(instantOf(3)) },
    ]);
    expect(items[1]).toMatchObject({ agent: 'developer', canAnswer: true, copy: false, message: { seq: 2 } });
  });

  it('has the text of a question whose payload was a text and no object', () => {
    expect(itemsAfter(toPerson({ payload: { value: 'Which port?' } }))[0]?.text).toBe('Which port?');
  });

  it('has nothing about work that is done, a status, or a message between agents', () => {
    expect(itemsAfter(toPerson({ type: 'WorkComplete' }), toPerson({ type: 'AgentStatus' }))).toEqual([]);
    expect(itemsAfter(sent(aMessage({ to: 'qa' }), ['qa']))).toEqual([]);
  });

  it('has a copy of what a coordinator was asked, until that one answers', () => {
    const asked = sent(aMessage(), ['pm'], { inbox: 'copy' });
    expect(itemsAfter(asked)).toMatchObject([{ id: 'msg:1', copy: true }]);
    const answer = aMessage({ id: 'm-9', type: 'Response', from: 'pm', to: 'developer', inReplyTo: 'm-1' });
    expect(itemsAfter(asked, sent(answer, ['developer']))).toEqual([]);
    const toAnother = aMessage({ ...answer, to: 'qa' });
    expect(itemsAfter(asked, sent(toAnother, ['qa']))).toHaveLength(1);
  });

  it('forgets blocked work and its problems once the task is assigned again or done, and no question by that', () => {
    for (const type of ['WorkAssign', 'WorkComplete']) {
      const next = sent(aMessage({ id: 'm-9', type, payload: { taskId: 't-1' } }), ['qa']);
      const asked = toPerson({ payload: { taskId: 't-1', question: 'Why?' } });
      expect(itemsAfter(asked, blocked, problem, next).map(({ kind }) => kind)).toEqual(['question']);
    }
  });

  it('forgets what a person answered or dismissed', () => {
    const answered: SessionEvent = { type: 'InboxAnswered', data: { item: 'msg:1', by: 'cli' } };
    const dismissed: SessionEvent = { type: 'InboxDismissed', data: { item: 'msg:2', by: 'vscode' } };
    expect(itemsAfter(question, blocked, answered, dismissed)).toEqual([]);
  });

  it('tells of what was put off until when, and no more once it is back, whoever brought it', () => {
    const snoozed = (item: string, until: string): SessionEvent => ({
      type: 'InboxSnoozed',
      data: { item, until, by: 'cli' },
    });
    const until = NOW + 60_000;
    const events = [question, blocked, snoozed('msg:1', new Date(until).toISOString()), snoozed('msg:9', 'never')];
    const untils = (at: number, more: readonly SessionEvent[] = []): readonly unknown[] =>
      inboxItems(momentOf([...events, ...more]), at).map(({ snoozedUntil }) => snoozedUntil);
    expect(untils(NOW)).toEqual([until, null]);
    expect(untils(until)).toEqual([null, null]);
    expect(untils(NOW, [snoozed('msg:1', instantOf(0))])).toEqual([null, null]);
    expect(untils(NOW, [snoozed('msg:1', 'no time')])).toEqual([null, null]);
  });

  it('has mail that nobody got, and why, until it is dismissed; answering it makes no sense', () => {
    const mail = sent(aMessage({ to: 'qa' }), ['qa']);
    const of = { id: 'm-1', seq: 1, agent: 'qa' };
    expect(itemsAfter(mail, { type: 'MessageExpired', data: of })).toMatchObject([
      {
        id: 'msg:1',
        kind: 'expired',
        agent: 'qa',
        text: 'Query from developer to qa was not picked up in time',
        canAnswer: false,
      },
    ]);
    expect(
      itemsAfter(mail, { type: 'MessageUndeliverable', data: { ...of, reason: 'It is too long.' } }),
    ).toMatchObject([{ kind: 'undeliverable', text: 'Query from developer to qa: It is too long.' }]);
    expect(itemsAfter({ type: 'MessageExpired', data: of })).toEqual([]);
  });

  const agent = 'developer';
  const crashed: SessionEvent = { type: 'AgentCrashed', data: { agent, exitCode: 0, reason: 'never connected' } };

  it('has an agent that failed, or was given up, until it is dismissed or started', () => {
    expect(itemsAfter(crashed)).toMatchObject([
      { id: 'agent:developer:failed', kind: 'failed', text: 'developer failed: never connected (exit 0)' },
    ]);
    const gaveUp: SessionEvent = { type: 'AgentGaveUp', data: { agent, reason: 'Given up.' } };
    expect(itemsAfter(crashed, gaveUp)).toMatchObject([{ id: 'agent:developer:gave-up', text: 'Given up.' }]);
    const dismissed: SessionEvent = { type: 'InboxDismissed', data: { item: 'agent:developer:gave-up', by: 'cli' } };
    expect(itemsAfter(crashed, gaveUp, dismissed)).toEqual([]);
    const until = new Date(NOW + 60_000).toISOString();
    const snoozed: SessionEvent = { type: 'InboxSnoozed', data: { item: 'agent:developer:failed', until, by: 'cli' } };
    expect(itemsAfter(crashed, snoozed)).toMatchObject([{ snoozedUntil: NOW + 60_000 }]);
    const again: SessionEvent = { type: 'AgentStarting', data: { agent, cause: 'person' } };
    expect(itemsAfter(crashed, snoozed, again, crashed)).toMatchObject([{ snoozedUntil: null }]);
    const scheduled: SessionEvent = { type: 'AgentRestartScheduled', data: { agent, attempt: 1, at: instantOf(9) } };
    expect(itemsAfter(crashed, scheduled)).toEqual([]);
  });

  it('has an agent that a fuse ended, with the number, until it is dismissed or started', () => {
    const other = anExit({ code: 0, class: 'asked to stop', requestedBy: 'cli' });
    const exit = { ...other, fuse: 'wall time: 30 min' };
    const ended: SessionEvent = { type: 'AgentExited', data: { agent, exitCode: 0, exit } };
    expect(itemsAfter(ended)).toMatchObject([
      { id: 'agent:developer:fuse', kind: 'fuse', agent, text: 'wall time: 30 min', canAnswer: false },
    ]);
    const dismissed: SessionEvent = { type: 'InboxDismissed', data: { item: 'agent:developer:fuse', by: 'cli' } };
    expect(itemsAfter(ended, dismissed)).toEqual([]);
    expect(itemsAfter(ended, { type: 'AgentStarting', data: { agent, cause: 'person' } })).toEqual([]);
    expect(itemsAfter({ type: 'AgentExited', data: { agent, exitCode: 0, exit: other } })).toEqual([]);
  });

  it('says of one that was given up how often it ended in the same way', () => {
    const text = gaveUpText('qa', 3, { exitCode: 3, lastLine: 'boom', times: 4 });
    expect(text).toContain('after 3 restarts. It ended 4 times in the same way: exit 3, last line "boom".');
    expect(gaveUpText('qa', 1, { exitCode: null, lastLine: '', times: 1 })).toContain('after 1 restart. See its log');
  });
});
