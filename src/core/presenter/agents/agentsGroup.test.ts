import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEngineSnapshot } from '../../../../test/support/engineParts';
import { agentSnapshot, inboxItem, messageSnapshot, sessionSnapshot } from '../../../../test/support/sessionSnapshots';
import { fleetSnapshot, readerAfter, START, workerSnapshot } from '../../../../test/support/snapshots';
import type { SessionSnapshot } from '../../protocol/actors/sessionSnapshot';
import type { WorkerSnapshot } from '../../protocol/snapshot';
import { changedNodes, indexNodes } from '../changedNodes';
import { needsCount } from '../needs';
import { tickInterval } from '../tickInterval';
import { toStatusBar } from '../toStatusBar';
import { toTree } from '../toTree';
import type { TreeNode } from '../treeNode';
import { messagesText } from './messagesText';

const reader = readerAfter(10);

function treeOf(session: SessionSnapshot | null, workers: readonly WorkerSnapshot[] = []): readonly TreeNode[] {
  return toTree([fleetSnapshot(workers, { session })], reader);
}

function outline(nodes: readonly TreeNode[], deep: readonly string[] = [], depth = 0): readonly string[] {
  return nodes.flatMap((node) => {
    const line = `${'  '.repeat(depth)}${[node.label, node.description].filter((part) => part !== '').join(' | ')}`;
    const opens = node.kind === 'group' || deep.includes(node.kind);
    return [line, ...(opens ? outline(node.children, deep, depth + 1) : [])];
  });
}

const waiting = messageSnapshot({ seq: 9, stage: 'waiting' }, { payload: { title: 'Write tests' } });
const sent = messageSnapshot(
  { seq: 8, stage: 'acked' },
  { type: 'WorkComplete', from: 'developer', to: 'pm', payload: { taskId: 'T-12', notes: 'done' } },
);

describe('the group of session agents', () => {
  it('is absent without a session, and without agents', () => {
    expect(treeOf(null)).toEqual([]);
    expect(treeOf(sessionSnapshot([]))).toEqual([]);
  });

  it('has a row per agent in the order of the configuration, and counts those that are up', () => {
    const agents = [
      agentSnapshot({ name: 'qa', state: null, connected: false }),
      agentSnapshot({ name: 'developer' }),
      agentSnapshot({ name: 'artist', state: 'backoff', restarts: 1, nextRestartAt: reader.now + 5_000 }),
    ];
    expect(outline(treeOf(sessionSnapshot(agents)))).toEqual([
      'Session agents | 1/3 · event-driven',
      '  qa | not started',
      '  developer | running · 10 s',
      '  artist | restarts in 5 s (1 of 3)',
    ]);
  });

  it('says that no session runs, unless an agent was started alone', () => {
    const [resting] = treeOf(sessionSnapshot([agentSnapshot({ state: null })], { running: false }));
    expect([resting?.description, resting?.contextValue]).toEqual(['no session', 'group.agents.stopped']);
    const [alone] = treeOf(sessionSnapshot([agentSnapshot()], { running: false }));
    expect(alone?.description).toBe('1/1 · event-driven');
  });

  it('says whose turn it is in sequential mode', () => {
    const turn = { agent: 'qa', iteration: 3, maxIterations: 20, status: 'running' };
    const [group] = treeOf(sessionSnapshot([agentSnapshot()], { mode: 'sequential', turn }));
    expect(group?.description).toBe('turn 3/20: qa · sequential');
  });

  it('shows below an agent what its call does, since when, and how many wait behind it', () => {
    const engine = anEngineSnapshot({ tool: 'Write', file: '/project/a.md' });
    const agent = agentSnapshot({ calls: [reader.now - 12_000, reader.now, reader.now], engine });
    expect(outline(treeOf(sessionSnapshot([agent])), ['agent'])).toContain(
      `    ${engine.name} | calls for 12 s · Write a.md · 2 waiting`,
    );
  });

  it('shows below an agent its words, mailbox, messages with the newest first, log and evidence', () => {
    const agent = agentSnapshot({
      status: 'working',
      currentTask: 'T-12',
      waiting: 1,
      messages: [messageSnapshot({ seq: 7 }), sent, waiting],
      evidence: [{ source: 'keeper', says: 'alive', at: reader.now }],
    });
    expect(outline(treeOf(sessionSnapshot([agent])), ['agent', 'messages'])).toEqual([
      'Session agents | 1/1 · event-driven',
      '  developer | T-12 · 1 waiting',
      '    Says | T-12 · working',
      '    Mailbox | 1 waiting',
      '      ← pm | WorkAssign · Write tests',
      '    Messages | 3',
      '      ← pm | WorkAssign · Write tests',
      '      → pm | WorkComplete · done · T-12',
      '      ← pm | WorkAssign · Build the login page · T-12',
      '    Log',
      '    Evidence',
    ]);
  });

  it('tells a message apart aloud and by its shape, with number, time and id in the tooltip', () => {
    const index = indexNodes(treeOf(sessionSnapshot([agentSnapshot({ messages: [sent] })])));
    const node = index.get('/project#agent/developer/messages/8');
    expect(node?.accessibleLabel).toBe('to pm, WorkComplete, done, T-12, handled');
    expect(node?.icon?.name).toBe('check-all');
    const tooltip = node?.tooltip?.replaceAll('\\', '') ?? '';
    expect(tooltip).toContain('| ID | msg-20260301-143022-0000000000000008 |');
    expect(tooltip).toContain('| Number | 8 |');
    expect(tooltip).toContain('14:30:22 · 10 s ago');
  });

  it('redraws only the agent whose countdown goes on', () => {
    const agents = [
      agentSnapshot({ name: 'qa', state: 'backoff', restarts: 1, nextRestartAt: START + 60_000 }),
      agentSnapshot({ state: 'completed', endedAt: START }),
    ];
    const session = sessionSnapshot(agents);
    const at = (seconds: number): readonly TreeNode[] => toTree([fleetSnapshot([], { session })], readerAfter(seconds));
    expect(changedNodes(at(1), at(2))).toEqual(['/project#agent/qa']);
  });
});

describe('Needs you', () => {
  const failed = workerSnapshot({
    state: 'failed',
    startedAt: START - 90_000,
    endedAt: START + 3_000,
    attention: { kind: 'failed', text: 'failed' },
  });

  it('holds what agents and workers need, the oldest first', () => {
    const inbox = [
      inboxItem({ id: 'msg:1', since: START }),
      inboxItem({ id: 'msg:2', since: START + 5_000, kind: 'blocked', agent: 'qa', text: 'T-3: no key' }),
    ];
    const [needs] = treeOf(sessionSnapshot([agentSnapshot()], { inbox }), [failed]);
    expect(outline(needs === undefined ? [] : [needs])).toEqual([
      'Needs you | 3',
      '  developer asks | Which auth flow?',
      '  health-check failed | failed · 14:30',
      '  qa is blocked | T-3: no key',
    ]);
    expect(needs?.children.map((node) => node.contextValue)).toEqual([
      'inbox.question.answer',
      'need.failed.owned',
      'inbox.blocked.answer',
    ]);
  });

  it.each([
    ['problem', 'developer has a problem'],
    ['gave-up', 'developer gave up'],
    ['failed', 'developer failed'],
    ['expired', 'developer: mail expired'],
    ['undeliverable', 'developer: mail undelivered'],
  ] as const)('names %s in words', (kind, label) => {
    const [needs] = treeOf(sessionSnapshot([], { inbox: [inboxItem({ kind, canAnswer: false })] }));
    expect(needs?.children[0]?.label).toBe(label);
    expect(needs?.children[0]?.contextValue).toBe(`inbox.${kind}`);
  });

  it('leaves to the coordinator what it has too: folded, quiet and not counted', () => {
    const session = sessionSnapshot([agentSnapshot()], { inbox: [inboxItem({ copy: true })] });
    expect(outline(treeOf(session))).toEqual([
      'Session agents | 1/1 · event-driven',
      '  developer | running · 10 s',
      '  With pm | 1',
      '    developer asks | Which auth flow?',
    ]);
    expect(indexNodes(treeOf(session)).get('/project#inbox/msg:7')?.icon?.color).toBeNull();
    expect(needsCount([fleetSnapshot([], { session })])).toBe(0);
    expect(toStatusBar([fleetSnapshot([], { session })], reader)).toBeNull();
  });

  it('rings in the status bar with its words', () => {
    const session = sessionSnapshot([agentSnapshot()], { inbox: [inboxItem()], problems: ['The pipe is taken.'] });
    const view = toStatusBar([fleetSnapshot([], { session })], reader);
    expect(view?.text).toBe('$(bell-dot) 2');
    expect(view?.tooltip).toContain('developer asks');
    expect(outline(treeOf(session))[1]).toBe('  Session | The pipe is taken.');
  });
});

describe('agents', () => {
  it('make ages tick as quickly as workers do', () => {
    const interval = (state: 'backoff' | 'running' | 'stopped'): number | null =>
      tickInterval([fleetSnapshot([], { session: sessionSnapshot([agentSnapshot({ state })]) })]);
    expect([interval('backoff'), interval('running'), interval('stopped')]).toEqual([1_000, 5_000, null]);
  });

  it('cannot break a row, whatever they send', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, (type, from, words) => {
        const shown = messageSnapshot({}, { type, from, payload: { question: words, [words]: [words] } });
        const agent = agentSnapshot({ status: words, currentTask: type, waiting: 1, messages: [shown] });
        const inbox = [inboxItem({ text: words, message: shown })];
        const nodes = [...indexNodes(treeOf(sessionSnapshot([agent], { inbox }))).values()];
        for (const { label, description, accessibleLabel } of nodes) {
          expect(`${label}${description}${accessibleLabel}`).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
        expect(messagesText(agent, reader)).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('have their messages as a document, the newest first, without what is empty', () => {
    const answered = messageSnapshot(
      { seq: 9 },
      { type: 'Response', inReplyTo: 'msg-1', payload: { answer: 'first\nsecond', notes: '', list: [] } },
    );
    expect(messagesText(agentSnapshot({ messages: [sent, answered] }), reader).split('\n')).toEqual([
      '2026-03-01 14:30:22  #9  pm → developer  Response  (delivered)',
      '    msg-20260301-143022-0000000000000009',
      '    Answers: msg-1',
      '    answer: first',
      '      second',
      '',
      '2026-03-01 14:30:22  #8  developer → pm  WorkComplete  (handled)',
      '    msg-20260301-143022-0000000000000008',
      '    taskId: T-12',
      '    notes: done',
    ]);
    expect(messagesText(agentSnapshot(), reader)).toBe('No messages yet.');
  });
});
