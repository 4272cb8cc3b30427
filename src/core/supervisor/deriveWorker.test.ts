import { describe, expect, it } from 'vitest';
import {
  aDocument,
  aKeeper,
  anEntry,
  anExit,
  aProcess,
  aStatus,
  isoAfter,
  type KeeperParts,
  STARTED_AT,
  someFacts,
  WORKER_ID,
} from '../../../test/support/workerFacts';
import type { StopReceipt } from '../protocol/keeper/stopReceipt';
import type { WorkerSnapshot } from '../protocol/snapshot';
import type { WorkerFacts } from '../protocol/workerFacts';
import type { RegistryStatus, StatusWord } from '../protocol/workers/registryEntry';
import { deriveWorker } from './deriveWorker';

const MINUTE_MS = 60_000;

function look(parts: Partial<WorkerFacts>, afterMs = 20_000): WorkerSnapshot {
  return deriveWorker(someFacts(parts), STARTED_AT + afterMs);
}

function says(snapshot: WorkerSnapshot): readonly string[] {
  return snapshot.evidence.map(({ source, says: words }) => `${source}: ${words}`);
}

function receipt(parts: Partial<StopReceipt> = {}): StopReceipt {
  const steps = [{ step: 'asked', at: isoAfter(12), alive: 1 }] as const;
  return { requestedBy: 'vscode', at: isoAfter(12), steps, finished: false, ...parts };
}

interface TruthCase {
  readonly because: string;
  readonly keeper: KeeperParts;
  readonly status?: StatusWord | 'absent';
  readonly registry?: RegistryStatus;
  readonly stopFlagAt?: number;
  readonly state: WorkerSnapshot['state'];
}

const crash = anExit({ code: 3, class: 'crash' });
const recycled: KeeperParts = { keeper: 'dead', process: 'dead' };

/** A worker of ours: the state follows the process (workers.md §4.4, lifecycle §2 and §4). */
const TRUTHS: readonly TruthCase[] = [
  {
    because: 'its keeper is making the process',
    keeper: { record: { process: null }, process: 'dead' },
    state: 'starting',
  },
  { because: 'its process lives', keeper: {}, state: 'running' },
  { because: 'it lives, whatever its status.json says', keeper: {}, status: 'completed', state: 'running' },
  { because: 'it lives, whatever the registry says', keeper: {}, registry: 'failed', state: 'running' },
  { because: 'it lives without any status.json', keeper: {}, status: 'absent', state: 'running' },
  { because: 'its process outlived its keeper', keeper: { keeper: 'dead' }, state: 'running' },
  { because: 'its keeper still reads the last output', keeper: { process: 'dead' }, state: 'running' },
  { because: 'its keeper lives and its process cannot be looked at', keeper: { process: 'unknown' }, state: 'running' },
  { because: 'the ladder runs', keeper: { record: { stop: receipt() } }, state: 'stopping' },
  { because: 'a stop flag was made', keeper: {}, stopFlagAt: STARTED_AT + 12_000, state: 'stopping' },
  { because: 'the flag is older than the worker', keeper: {}, stopFlagAt: STARTED_AT - 3_600_000, state: 'running' },
  { because: 'the registry asks for a stop', keeper: {}, registry: 'stop-requested', state: 'stopping' },
  { because: 'both are gone and nobody saw the end', keeper: recycled, state: 'unknown' },
  { because: 'both are gone, but it said its last word', keeper: recycled, status: 'completed', state: 'completed' },
  { because: 'both are gone after a stop', keeper: { ...recycled, record: { stop: receipt() } }, state: 'stopped' },
  { because: 'it is on another machine', keeper: { keeper: 'unknown', process: 'unknown' }, state: 'unknown' },
  { because: 'exit 0', keeper: { exit: anExit() }, state: 'completed' },
  { because: 'exit 0 after it said failed', keeper: { exit: anExit() }, status: 'failed', state: 'failed' },
  { because: 'a crash', keeper: { exit: crash }, state: 'failed' },
  { because: 'a crash, although it said completed', keeper: { exit: crash }, status: 'completed', state: 'failed' },
  {
    because: 'an exit that nobody could read',
    keeper: { exit: anExit({ code: null, class: 'unknown exit' }) },
    state: 'unknown',
  },
  { because: 'a stop', keeper: { exit: anExit({ class: 'asked to stop', requestedBy: 'cli' }) }, state: 'stopped' },
  {
    because: 'its own word wins over a stop',
    keeper: { exit: anExit({ class: 'asked to stop', requestedBy: 'cli' }), record: { stop: receipt() } },
    status: 'completed',
    state: 'completed',
  },
  { because: 'exit 0 after a flag', keeper: { exit: anExit() }, stopFlagAt: STARTED_AT + 12_000, state: 'stopped' },
  {
    because: 'the flag came after the end',
    keeper: { exit: anExit() },
    stopFlagAt: STARTED_AT + 40_000,
    state: 'completed',
  },
  {
    because: 'it was not installed',
    keeper: { exit: anExit({ code: null, class: 'not installed' }) },
    state: 'failed',
  },
];

describe('a worker with a keeper', () => {
  it.each(TRUTHS)('is $state, because $because', ({ keeper, status = 'running', registry, stopFlagAt, state }) => {
    const snapshot = look({
      keeper: aKeeper(keeper),
      status: status === 'absent' ? { kind: 'absent' } : aStatus(status),
      entry: anEntry(registry === undefined ? {} : { status: registry }),
      stopFlagAt: stopFlagAt ?? null,
    });
    expect(snapshot.state).toBe(state);
  });

  it('shows a pid only while that very process lives', () => {
    expect(look({}).pid).toBe(aProcess.pid);
    expect(look({ keeper: aKeeper(recycled) }).pid).toBeNull();
    expect(look({ keeper: aKeeper({ keeper: 'unknown', process: 'unknown' }) }).pid).toBeNull();
    expect(look({ keeper: aKeeper({ exit: anExit() }) }).pid).toBeNull();
  });

  it('tells everything that its files and processes say', () => {
    const progress = { phase: 'scanning', items_processed: 3, total_items: 7 };
    const snapshot = look({ status: aStatus('running', { progress }), outputs: ['health-report.json'] });
    expect(snapshot).toEqual({
      workerId: someFacts().entry.worker_id,
      entry: anEntry(),
      state: 'running',
      health: 'ok',
      attention: null,
      snoozed: {},
      progress,
      error: null,
      startedAt: STARTED_AT,
      isolation: null,
      fuses: null,
      engine: null,
      nextStartAt: null,
      canRetry: false,
      endedAt: null,
      lastSeenAt: STARTED_AT + 10_000,
      pid: 4242,
      owned: true,
      exit: null,
      stop: null,
      problem: null,
      outputs: ['health-report.json'],
      folder: someFacts().folder,
      logFile: someFacts().logFile,
      evidence: [
        { source: 'keeper', says: 'keeper 4241 lives', at: STARTED_AT + 20_000 },
        { source: 'process', says: 'process 4242 lives', at: STARTED_AT + 20_000 },
        { source: 'status.json', says: 'running: scanning', at: STARTED_AT + 10_000 },
        { source: 'registry', says: 'running', at: null },
        { source: 'folder', says: 'last change', at: STARTED_AT + 10_000 },
      ],
    });
  });

  it('ends when its exit says, whatever its status.json claims', () => {
    const status = aStatus('completed', { completed_at: '2031-01-01T00:00:00Z' });
    expect(look({ status, keeper: aKeeper({ exit: anExit() }) }).endedAt).toBe(STARTED_AT + 30_000);
  });

  it('that failed needs a person, and says why in its own words where it has any', () => {
    const bare = look({ keeper: aKeeper({ exit: crash }) });
    expect(bare.attention).toEqual({ kind: 'failed', text: 'crash, exit code 3' });
    const told = look({ keeper: aKeeper({ exit: crash }), status: aStatus('failed', { error: 'no researches' }) });
    expect(told.attention).toEqual({ kind: 'failed', text: 'no researches' });
    expect(told.error).toBe('no researches');
  });

  it('carries its exit and the receipt of its stop', () => {
    const exit = anExit({ class: 'asked to stop', signal: 'SIGTERM', code: null, requestedBy: 'cli', forced: true });
    const stop = receipt({ finished: true });
    const snapshot = look({ keeper: aKeeper({ exit, record: { stop } }) });
    expect(snapshot).toMatchObject({ state: 'stopped', exit, stop, attention: null });
    expect(says(snapshot)).toContain('exit record: asked to stop, SIGTERM');
  });
});

/** A worker that a model or another tool started: only the protocol's words speak (workers.md §4.4, §4.6). */
const WORDS: readonly (readonly [
  string,
  RegistryStatus,
  StatusWord | 'absent',
  number | null,
  WorkerSnapshot['state'],
])[] = [
  ['starting without a status.json', 'starting', 'absent', null, 'starting'],
  ['running by its own word', 'running', 'running', null, 'running'],
  ['running by its own word, before the registry knows', 'starting', 'running', null, 'running'],
  ['completing', 'running', 'completing', null, 'running'],
  ['running without a status.json', 'running', 'absent', null, 'unknown'],
  ['asked to stop by the flag', 'running', 'running', STARTED_AT + 12_000, 'stopping'],
  ['asked to stop by the registry', 'stop-requested', 'running', null, 'stopping'],
  ['completed although asked to stop', 'stop-requested', 'completed', STARTED_AT + 12_000, 'completed'],
  ['completed by its own word', 'running', 'completed', null, 'completed'],
  ['failed by its own word', 'running', 'failed', null, 'failed'],
  ['stopped by its own word', 'running', 'stopped', null, 'stopped'],
  ['back from unknown', 'unknown', 'running', null, 'running'],
  ['completed in the registry', 'completed', 'absent', null, 'completed'],
];

describe('a worker without a keeper', () => {
  it.each(WORDS)('%s', (_name, registry, status, stopFlagAt, state) => {
    const ended = registry === 'completed' ? { completed_at: '2026-02-03T10:00:15Z' } : {};
    const snapshot = look({
      keeper: null,
      entry: anEntry({ status: registry, ...ended }),
      status: status === 'absent' ? { kind: 'absent' } : aStatus(status),
      stopFlagAt,
    });
    expect(snapshot).toMatchObject({ state, owned: false, pid: null, exit: null });
  });

  it('is silent after two minutes and unknown after fifteen while it only claims to start', () => {
    const parts = { keeper: null, entry: anEntry({ status: 'starting' }), status: { kind: 'absent' } } as const;
    const at = (ms: number): readonly string[] => {
      const { state, health } = look({ ...parts, newestMtimeMs: null }, ms);
      return [state, health];
    };
    expect([at(MINUTE_MS), at(3 * MINUTE_MS), at(16 * MINUTE_MS)]).toEqual([
      ['starting', 'ok'],
      ['starting', 'silent'],
      ['unknown', 'silent'],
    ]);
  });

  it('that says failed needs a person', () => {
    const snapshot = look({ keeper: null, status: aStatus('failed') });
    expect(snapshot.attention).toEqual({ kind: 'failed', text: 'The worker says that it failed' });
  });
});

describe('health', () => {
  it('is stale when nothing changed for more than fifteen minutes, and the worker stays running', () => {
    const at = (ms: number): Partial<WorkerSnapshot> => look({ newestMtimeMs: STARTED_AT + 10_000 }, ms);
    expect(at(15 * MINUTE_MS + 10_000)).toMatchObject({ state: 'running', health: 'ok' });
    expect(at(15 * MINUTE_MS + 11_000)).toMatchObject({ state: 'running', health: 'stale', attention: null });
  });

  it('is flooding while output was dropped, and no longer once the worker ended', () => {
    const record = { output: { rawOffset: 0, logBytes: 0, droppedBytes: 5 } };
    expect(look({ keeper: aKeeper({ record }) }).health).toBe('flooding');
    expect(look({ keeper: aKeeper({ record, exit: anExit() }) }).health).toBe('ok');
  });

  it('is not spoiled by a clock that went back', () => {
    expect(look({}, -8 * 60 * MINUTE_MS).health).toBe('ok');
  });
});

describe('a row that cannot be read', () => {
  it('is unknown where it is the record of our keeper, until the worker itself says that it ended', () => {
    const lost = { keeper: null, keeperProblem: 'keeper.json cannot be read' };
    expect(look({ ...lost, status: aStatus('running') })).toMatchObject({ state: 'unknown', pid: null });
    expect(look({ ...lost, status: aStatus('completed') }).state).toBe('completed');
  });

  it('keeps what its status.json last said, and says what is wrong', () => {
    const progress = { phase: 'scanning', items_processed: 1, total_items: null };
    const lastGood = aDocument('running', { progress });
    const reason = 'status.json is not JSON';
    const snapshot = look({ status: { kind: 'unreadable', reason, lastGood, mtimeMs: STARTED_AT } });
    expect(snapshot).toMatchObject({
      state: 'running',
      problem: reason,
      attention: { kind: 'unreadable', text: reason },
      progress,
    });
    expect(says(snapshot)).toContain('status.json: status.json is not JSON; last it said running');
  });

  it('says first what is wrong with the registry, then with status.json, then with keeper.json', () => {
    const status = { kind: 'unreadable', reason: 'bad status', lastGood: null, mtimeMs: null } as const;
    const bad = { keeper: null, rowProblem: 'bad row', status, keeperProblem: 'bad keeper' };
    expect(look(bad).problem).toBe('bad row');
    expect(look({ ...bad, rowProblem: null }).problem).toBe('bad status');
    expect(look({ ...bad, rowProblem: null, status: aStatus('running') }).problem).toBe('bad keeper');
  });

  it('is a status.json that names another worker, which may be about that one', () => {
    const other = aStatus('running', { worker_id: 'wkr-20260301-143000-other' });
    const { problem, attention } = look({ status: other });
    expect(problem).toBe('status.json names another worker, wkr-20260301-143000-other');
    expect(attention).toEqual({ kind: 'unreadable', text: problem });
    expect(look({ status: aStatus('running', { worker_id: ` ${WORKER_ID}\n` }) }).problem).toBeNull();
    expect(look({ status: aStatus('running', { worker_id: null }) }).problem).toBeNull();
    expect(look({ status: aStatus('running', { worker_id: '\u001B[31mno id' }) }).problem).toBeNull();
  });

  it('with times that are none still gives a snapshot', () => {
    const snapshot = look({ entry: anEntry({ started_at: 'yesterday', completed_at: 'never' }) });
    expect(snapshot).toMatchObject({ startedAt: STARTED_AT, state: 'running', health: 'ok' });
  });
});

describe('evidence', () => {
  it('shows where a word differs from the process', () => {
    const snapshot = look({ status: aStatus('completed'), entry: anEntry({ status: 'failed' }) });
    expect(says(snapshot)).toEqual(
      expect.arrayContaining([
        'process: process 4242 lives',
        'status.json: completed (differs from the state running)',
        'registry: failed (differs from the state running)',
      ]),
    );
  });

  it('names what cannot be looked at, what is gone and what is missing', () => {
    const snapshot = look({
      keeper: aKeeper({ keeper: 'dead', process: 'unknown' }),
      status: { kind: 'absent' },
      folderExists: false,
      newestMtimeMs: null,
      stopFlagAt: STARTED_AT + 1_000,
    });
    expect(says(snapshot)).toEqual([
      'keeper: keeper 4241 is gone',
      'process: process 4242 cannot be looked at from here',
      'registry: running (differs from the state unknown)',
      'stop flag: a stop was requested',
      'folder: there is no folder of this worker',
    ]);
  });
});

describe('the isolation of a worker', () => {
  const violations = [
    { path: 'CLAUDE.md', change: 'changed', at: isoAfter(20) },
    { path: 'researches/x.md', change: 'removed', at: isoAfter(25) },
  ] as const;
  const isolated = (exit = anExit()): Partial<WorkerFacts> => ({
    keeper: aKeeper({ exit, record: { isolation: { level: 'audit', note: 'no sandbox works here', violations } } }),
    status: aStatus('completed'),
  });

  it('is shown with what was found, as something that a person must look at', () => {
    const snapshot = look(isolated());
    const text = 'changed CLAUDE.md during the run (and 1 more)';
    expect(snapshot).toMatchObject({ state: 'completed', attention: { kind: 'violation', text } });
    expect(snapshot.isolation?.violations).toEqual(violations);
    expect(says(snapshot)).toContain(`isolation: audit; no sandbox works here; ${text}`);
  });

  it('does not hide that the worker failed', () => {
    const { attention, evidence } = look({ ...isolated(crash), status: { kind: 'absent' } });
    expect(attention?.kind).toBe('failed');
    expect(evidence.some(({ says: words }) => words.includes('changed CLAUDE.md'))).toBe(true);
  });

  it('is not known where no keeper of ours tells it, and needs nobody where nothing was found', () => {
    expect(look({ status: aStatus('completed') }).isolation).toBeNull();
    const isolation = { level: 'sandbox', note: null, violations: [] } as const;
    const clean = look({ keeper: aKeeper({ exit: anExit(), record: { isolation } }), status: aStatus('completed') });
    expect(clean).toMatchObject({ attention: null, isolation });
  });
});
