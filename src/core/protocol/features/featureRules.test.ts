import { describe, expect, it } from 'vitest';
import { featurePhase, type PhaseFacts } from './featurePhase';
import { defaultThresholds, type Liveness } from './featureSnapshot';
import { levelStatus } from './levelStatus';
import { namedInCommand } from './liveEvidence';
import { livenessOf, type LivenessFacts } from './liveness';
import { readProgressLog, taskOfLine } from './progressLog';
import { readProjectProgress } from './projectProgress';
import { readState } from './readState';
import { isRespawnLoop } from './respawnLoop';
import { leveledTitle, namesFeature, readTaskListItem, statusOfItem } from './taskList';
import { compareWorkerKeys, workerIdOf, workerKey } from './workerKey';

describe('the phase of a feature', () => {
  const facts: PhaseFacts = {
    kind: 'state',
    statuses: ['complete', 'pending'],
    total: 2,
    paused: false,
    livenesses: ['active', 'stale'],
  };

  it.each<[string, Partial<PhaseFacts>, string]>([
    ['is executing while one worker lives', {}, 'executing'],
    ['is executing without any worker', { livenesses: [] }, 'executing'],
    ['is orphaned when each worker is gone', { livenesses: ['stopped', 'crashed', 'silent', 'stale'] }, 'orphaned'],
    ['is not orphaned by a late one', { livenesses: ['late', 'stale'] }, 'executing'],
    ['is paused before it is orphaned', { paused: true, livenesses: ['stopped'] }, 'paused'],
    ['is complete before it is paused', { paused: true, statuses: ['complete', 'complete'] }, 'complete'],
    ['is complete with workers that still say running', { statuses: ['complete', 'complete'] }, 'complete'],
    ['counts failed tasks as ended', { statuses: ['complete', 'failed'] }, 'complete_with_failures'],
    ['does not count blocked ones', { statuses: ['complete', 'blocked'], livenesses: ['active'] }, 'executing'],
    ['is not complete without tasks', { statuses: [], total: 0, livenesses: [] }, 'executing'],
    ['is not complete while the total is not known', { statuses: ['complete'], total: null }, 'executing'],
    ['is not complete before tasks that the state does not list', { statuses: ['complete'], total: 6 }, 'executing'],
    ['is designed whatever its tasks say', { kind: 'designed', statuses: ['complete'], total: 1 }, 'designed'],
    ['is unreadable before all else', { kind: 'unreadable', paused: true }, 'unreadable'],
  ])('%s', (_claim, change, phase) => {
    expect(featurePhase({ ...facts, ...change })).toBe(phase);
  });
});

describe('the status of a level', () => {
  const level = (
    statuses: readonly string[],
    status: string | null = null,
    mergeStatus: string | null = null,
  ): string => levelStatus({ record: { status, mergeStatus }, statuses, total: statuses.length, readable: true });

  it.each([
    [['complete', 'complete'], 'running', 'conflict', 'conflict'],
    [['complete'], 'complete', 'failed', 'merge_failed'],
    [['complete', 'complete'], 'running', 'pending', 'complete'],
    [['complete', 'complete'], null, 'rebasing', 'complete'],
    [['complete', 'failed'], 'complete', null, 'complete_with_failures'],
    [['failed'], null, null, 'complete_with_failures'],
    [['pending', 'blocked', 'paused'], 'running', null, 'running'],
    [['pending', 'claimed'], null, null, 'running'],
    [['pending', 'verifying'], 'pending', null, 'running'],
    [['pending', 'waiting_retry'], null, null, 'running'],
    [['pending', 'blocked', 'paused', 'todo'], null, null, 'pending'],
    [['complete', 'pending'], 'complete', null, 'running'],
    [[], 'complete', null, 'complete'],
    [['unknown', 'unknown'], null, null, 'unknown'],
  ])('of %j with state %j and merge %j is %s', (statuses, status, merge, expected) => {
    expect(level(statuses, status, merge)).toBe(expected);
  });
});

describe('the liveness of a worker', () => {
  const facts: LivenessFacts = {
    status: 'running',
    heartbeatAge: null,
    activityAge: null,
    tornHeartbeat: false,
    grace: false,
  };

  it.each<[Partial<LivenessFacts>, Liveness]>([
    [{ heartbeatAge: 30 }, 'active'],
    [{ heartbeatAge: 31 }, 'late'],
    [{ heartbeatAge: 120 }, 'late'],
    [{ heartbeatAge: 121 }, 'stale'],
    [{ heartbeatAge: 0, activityAge: 9_999 }, 'active'],
    [{ heartbeatAge: 500, activityAge: 0 }, 'stale'],
    [{ activityAge: 600 }, 'no-heartbeat'],
    [{ activityAge: 601 }, 'silent'],
    [{}, 'no-heartbeat'],
    [{ activityAge: 601, tornHeartbeat: true }, 'no-heartbeat'],
    [{ status: 'stopped', heartbeatAge: 1 }, 'stopped'],
    [{ status: 'crashed', activityAge: 9_999 }, 'crashed'],
    [{ status: 'hibernating', heartbeatAge: 1 }, 'active'],
    [{ heartbeatAge: 5_000, grace: true }, 'late'],
    [{ activityAge: 5_000, grace: true }, 'no-heartbeat'],
  ])('with %j is %s', (change, liveness) => {
    expect(livenessOf({ ...facts, ...change }, defaultThresholds)).toBe(liveness);
  });
});

describe('a respawn loop', () => {
  it.each([
    [[0, 15_000, 30_000], true],
    [[30_000, 0, 15_000], true],
    [[0, 15_000, 30_001], false],
    [[0, 1], false],
    [[0, 60_000, 61_000, 62_000], true],
  ])('of starts at %j: %s', (starts, loop) => {
    expect(isRespawnLoop(starts)).toBe(loop);
  });
});

describe('a line of progress.md', () => {
  const log = [
    '# progress',
    '[2026-01-26T10:01:00+00:00] Worker 0: Started task AUTH-L1-001',
    '[2026-01-26T10:02:00+00:00] Worker 0: Committed "AUTH-L1-001" to branch zerg/user-auth/worker-0',
    '[2026-01-26T10:03:00+00:00] Worker 07 ERROR: Verification failed for AUTH-L1-003.',
    '[2026-01-26T10:04:00+00:00] Worker 1: Context limit reached',
    '[2026-01-26T10:05:00+00:00] Worker 1: Started task AUTH-L1',
  ].join('\n');

  it('says which worker did what to which task; one without its end says nothing', () => {
    const known = new Set(['AUTH-L1-001', 'AUTH-L1-003']);
    const lines = readProgressLog(log) ?? [];
    expect(
      lines.map((line) => [line.worker, line.what, line.what === 'other' ? null : taskOfLine(line, known)]),
    ).toEqual([
      ['0', 'started', 'AUTH-L1-001'],
      ['0', 'committed', 'AUTH-L1-001'],
      ['7', 'error', 'AUTH-L1-003'],
      ['1', 'other', null],
    ]);
  });

  it('cannot be told where half of one is all that there is', () => {
    expect(readProgressLog('[2026-01-26T10:01')).toBeNull();
    expect(readProgressLog('')).toEqual([]);
    expect(readProgressLog('# nothing yet\n')).toEqual([]);
  });
});

describe('an item of a task list', () => {
  const item = (fields: object): ReturnType<typeof readTaskListItem> =>
    readTaskListItem(JSON.stringify({ id: '3', subject: '[L1] A title', status: 'pending', ...fields }), '3');

  it.each([
    [{ status: 'completed', blockedBy: ['1'] }, 'complete'],
    [{ status: 'pending', blockedBy: ['1'] }, 'blocked'],
    [{ status: 'pending', blockedBy: [] }, 'pending'],
    [{ status: 'in_progress', description: 'BLOCKED: verification failed' }, 'in_progress'],
    [{ status: 'dreaming' }, 'dreaming'],
  ])('with %j is %s', (fields, status) => {
    const read = item(fields);
    expect(read === null ? null : statusOfItem(read)).toBe(status);
  });

  it.each([
    ['[L12] Session service ', { level: 12, title: 'Session service' }],
    ['[Plan] Capture requirements', null],
    ['Define auth types', null],
  ])('%j is at %j', (subject, leveled) => {
    const read = item({ subject });
    expect(read === null ? null : leveledTitle(read)).toEqual(leveled);
  });

  it('names a feature as a word, not as a part of another', () => {
    expect(namesFeature('Launching workers for user-auth', 'user-auth')).toBe(true);
    expect(namesFeature('Launching workers for user-auth', 'auth')).toBe(false);
    expect(namesFeature('auth, then user-auth', 'auth')).toBe(true);
    expect(namesFeature('see .gsd/specs/user-auth/', 'user-auth')).toBe(true);
  });
});

describe('a state file', () => {
  it.each([
    ['{"tasks":{}}', false, 'state'],
    ['{"tasks":{},"checkpoints":[]}', false, 'execution-state'],
    ['{"tasks":{}}', true, 'execution-state'],
    ['{"completed_tasks":["A"],"failed_tasks":[]}', true, 'checkpoint'],
    ['{"completed_tasks":["A"]}', false, 'checkpoint'],
  ])('%s (legacy path: %s) is a %s', (text, legacy, kind) => {
    expect(readState(text, legacy)).toMatchObject({ kind: 'state', document: { kind } });
  });

  it.each(['{"worker_id":0}', '{}', '{"tasks":"none"}', '[]', '3', '"text"'])('is not %s', (text) => {
    expect(readState(text, false)).toEqual({ kind: 'other' });
  });

  it.each(['', '[', 'null', '{"tasks":{', '\0\0\0'])('cannot be read from %j', (text) => {
    expect(readState(text, false)).toEqual({ kind: 'unreadable' });
  });

  it('keeps unknown words, takes ids as numbers and as texts, and has no trouble with hostile keys', () => {
    const text = `{"tasks":{"__proto__":{"status":"done-ish","worker_id":"03"},"B":{"status":5},"C":null},
      "workers":{"3":{"status":"hibernating"},"x y":{}},"levels":{"1":{"status":"odd"},"up":{}},"execution_log":[1,null,{}]}`;
    const reading = readState(text, false);
    const document = reading.kind === 'state' ? reading.document : null;
    expect(document?.tasks.get('__proto__')).toMatchObject({ status: 'done-ish', worker: '03' });
    expect(document?.tasks.get('B')?.status).toBe('unknown');
    expect(document?.workers.get('3')?.status).toBe('hibernating');
    expect([...(document?.levels.keys() ?? [])]).toEqual([1]);
    expect(({} as Record<string, unknown>)['status']).toBeUndefined();
  });

  it('of the checkpoint shape lists what is complete and what failed, as ids, entries or a map', () => {
    const text = JSON.stringify({
      feature: 'f',
      state: 'paused',
      completed_tasks: ['A', { id: 'B', worker_id: '1' }],
      failed_tasks: { C: 'it broke' },
    });
    const reading = readState(text, true);
    const document = reading.kind === 'state' ? reading.document : null;
    expect(document?.paused).toBe(true);
    expect([...(document?.tasks.values() ?? [])].map(({ id, status, error }) => [id, status, error])).toEqual([
      ['A', 'complete', null],
      ['B', 'complete', null],
      ['C', 'failed', 'it broke'],
    ]);
  });
});

describe('a worker id', () => {
  it('is the same as a number and as digits', () => {
    expect([0, '0', ' 00 ', 'alpha', '', null, -1, 1.5].map(workerKey)).toEqual([
      '0',
      '0',
      '0',
      'alpha',
      null,
      null,
      null,
      null,
    ]);
    expect(['10', 'b', '9', 'a'].sort(compareWorkerKeys).map(workerIdOf)).toEqual([9, 10, 'a', 'b']);
  });

  it.each([
    [
      ['python', '-m', 'zerg.worker_main', '--worker-id', '1', '--feature', 'user-auth'],
      { feature: 'user-auth', worker: '1' },
    ],
    [['zerg', 'rush', '--feature=billing'], { feature: 'billing', worker: null }],
    [['zerg', 'rush', '--feature'], null],
    [['vim', 'feature'], null],
  ])('is found in the command line %j', (args, named) => {
    expect(namedInCommand(args)).toEqual(named);
  });
});

describe("a project's table of progress", () => {
  it('is counted by its status cells, or by check boxes', () => {
    const table =
      '| Task | Status |\n|---|---|\n| A complete rewrite of it all | ⏳ Pending |\n| B | ✅ |\n| C | Complete |\n';
    expect(readProjectProgress(table)).toEqual({ complete: 2, total: 3 });
    expect(readProjectProgress('- [x] one\n- [ ] two\n')).toEqual({ complete: 1, total: 2 });
    expect(readProjectProgress('nothing to see\n')).toBeNull();
  });
});
