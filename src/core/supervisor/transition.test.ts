import { describe, expect, it } from 'vitest';
import { aProcess, anExit } from '../../../test/support/workerFacts';
import type { ExitClass, ExitRecord } from '../protocol/keeper/exitRecord';
import { backoffPolicy, neverRestart } from './restartPolicy';
import { transition } from './transition';
import type { WorkerEvent, WorkerHappening } from './workerEvent';
import { backgroundPolicy, type WorkerPolicy } from './workerPolicy';
import { initialState, type StopWish, type TerminalWord, type WorkerState } from './workerState';

type Kind = WorkerState['kind'];
type EventKind = WorkerEvent['kind'];

const agentPolicy: WorkerPolicy = { ...backgroundPolicy, restarts: backoffPolicy(), readyMs: 40_000 };
const restarts = agentPolicy.restarts;
const wish: StopWish = { by: 'vscode', force: false, at: 500 };
const crash = anExit({ code: 3, class: 'crash' });
const alive = { process: aProcess, health: 'ok', word: null, limitedUntil: null, restarts } as const;

/** One state of each kind, as it usually is. */
const STATES: { readonly [K in Kind]: Extract<WorkerState, { kind: K }> } = {
  starting: { kind: 'starting', ...alive },
  running: { kind: 'running', ...alive },
  stopping: { kind: 'stopping', process: aProcess, wish, step: 'asked', word: null, restarts },
  backoff: { kind: 'backoff', until: 9_000, exit: crash, restarts },
  parked: { kind: 'parked', until: 9_000, exit: anExit({ class: 'rate limited' }), restarts },
  completed: { kind: 'completed', exit: anExit() },
  failed: { kind: 'failed', cause: 'crash', text: null, exit: crash, restartsSpent: 3 },
  stopped: { kind: 'stopped', exit: anExit({ class: 'asked to stop' }), wish },
  unknown: initialState(restarts),
};

/** One event of each kind, as it usually is. */
const EVENTS: { readonly [K in EventKind]: Extract<WorkerHappening, { kind: K }> } = {
  startRequested: { kind: 'startRequested' },
  spawned: { kind: 'spawned', process: aProcess },
  becameReady: { kind: 'becameReady' },
  spawnFailed: { kind: 'spawnFailed', cause: 'never started', text: 'It did not start. Try again.' },
  readyTimeout: { kind: 'readyTimeout' },
  exited: { kind: 'exited', exit: crash },
  wordHeard: { kind: 'wordHeard', word: 'completed' },
  stopRequested: { kind: 'stopRequested', by: 'cli', force: false },
  graceElapsed: { kind: 'graceElapsed' },
  stopStepTaken: { kind: 'stopStepTaken', step: 'terminate' },
  stableElapsed: { kind: 'stableElapsed' },
  backoffElapsed: { kind: 'backoffElapsed' },
  rateLimited: { kind: 'rateLimited', until: 90_000 },
  parkElapsed: { kind: 'parkElapsed' },
  healthSeen: { kind: 'healthSeen', health: 'late' },
  ownershipLost: { kind: 'ownershipLost' },
  provenAlive: { kind: 'provenAlive', process: aProcess },
  provenDead: { kind: 'provenDead', exit: null },
};

/** Where each event leads from each state; the restart policy is that of an agent. */
const EXPECTED: Readonly<Record<Kind, Readonly<Record<EventKind, Kind>>>> = {
  starting: {
    startRequested: 'starting',
    spawned: 'starting',
    becameReady: 'running',
    spawnFailed: 'backoff',
    readyTimeout: 'stopping',
    exited: 'backoff',
    wordHeard: 'starting',
    stopRequested: 'stopping',
    graceElapsed: 'starting',
    stopStepTaken: 'starting',
    stableElapsed: 'starting',
    backoffElapsed: 'starting',
    rateLimited: 'starting',
    parkElapsed: 'starting',
    healthSeen: 'starting',
    ownershipLost: 'unknown',
    provenAlive: 'starting',
    provenDead: 'backoff',
  },
  running: {
    startRequested: 'running',
    spawned: 'running',
    becameReady: 'running',
    spawnFailed: 'running',
    readyTimeout: 'running',
    exited: 'backoff',
    wordHeard: 'running',
    stopRequested: 'stopping',
    graceElapsed: 'running',
    stopStepTaken: 'running',
    stableElapsed: 'running',
    backoffElapsed: 'running',
    rateLimited: 'running',
    parkElapsed: 'running',
    healthSeen: 'running',
    ownershipLost: 'unknown',
    provenAlive: 'running',
    provenDead: 'backoff',
  },
  stopping: {
    startRequested: 'stopping',
    spawned: 'stopping',
    becameReady: 'stopping',
    spawnFailed: 'stopped',
    readyTimeout: 'stopping',
    exited: 'stopped',
    wordHeard: 'stopping',
    stopRequested: 'stopping',
    graceElapsed: 'stopping',
    stopStepTaken: 'stopping',
    stableElapsed: 'stopping',
    backoffElapsed: 'stopping',
    rateLimited: 'stopping',
    parkElapsed: 'stopping',
    healthSeen: 'stopping',
    ownershipLost: 'unknown',
    provenAlive: 'stopping',
    provenDead: 'stopped',
  },
  backoff: {
    startRequested: 'starting',
    spawned: 'backoff',
    becameReady: 'backoff',
    spawnFailed: 'backoff',
    readyTimeout: 'backoff',
    exited: 'backoff',
    wordHeard: 'backoff',
    stopRequested: 'stopped',
    graceElapsed: 'backoff',
    stopStepTaken: 'backoff',
    stableElapsed: 'backoff',
    backoffElapsed: 'starting',
    rateLimited: 'backoff',
    parkElapsed: 'backoff',
    healthSeen: 'backoff',
    ownershipLost: 'unknown',
    provenAlive: 'backoff',
    provenDead: 'backoff',
  },
  parked: {
    startRequested: 'starting',
    spawned: 'parked',
    becameReady: 'parked',
    spawnFailed: 'parked',
    readyTimeout: 'parked',
    exited: 'parked',
    wordHeard: 'parked',
    stopRequested: 'stopped',
    graceElapsed: 'parked',
    stopStepTaken: 'parked',
    stableElapsed: 'parked',
    backoffElapsed: 'parked',
    rateLimited: 'parked',
    parkElapsed: 'starting',
    healthSeen: 'parked',
    ownershipLost: 'unknown',
    provenAlive: 'parked',
    provenDead: 'parked',
  },
  completed: { ...nothingBut('completed'), startRequested: 'starting' },
  failed: { ...nothingBut('failed'), startRequested: 'starting' },
  stopped: { ...nothingBut('stopped'), startRequested: 'starting', wordHeard: 'completed' },
  unknown: {
    ...nothingBut('unknown'),
    startRequested: 'starting',
    exited: 'backoff',
    provenAlive: 'running',
    provenDead: 'backoff',
  },
};

function nothingBut(kind: Kind): Record<EventKind, Kind> {
  return Object.fromEntries(Object.keys(EVENTS).map((event) => [event, kind])) as Record<EventKind, Kind>;
}

function after(state: WorkerState, happening: WorkerHappening, policy = agentPolicy): ReturnType<typeof transition> {
  return transition(state, { ...happening, at: 1_000 }, policy);
}

function effectKinds(state: WorkerState, happening: WorkerHappening): readonly string[] {
  return after(state, happening).effects.map((effect) => effect.kind);
}

describe('transition', () => {
  it('leads from every state with every event where the table says', () => {
    const found = Object.fromEntries(
      Object.values(STATES).map((state) => [
        state.kind,
        Object.fromEntries(Object.values(EVENTS).map((event) => [event.kind, after(state, event).state.kind])),
      ]),
    );
    expect(found).toEqual(EXPECTED);
  });

  it('the table names every pair', () => {
    const pairs = Object.values(EXPECTED).flatMap((row) => Object.values(row));
    expect(pairs).toHaveLength(Object.keys(STATES).length * Object.keys(EVENTS).length);
    expect(pairs).toHaveLength(9 * 18);
  });

  it('an event without meaning for a state gives the same state and no effects', () => {
    expect(after(STATES.completed, EVENTS.graceElapsed)).toEqual({ state: STATES.completed, effects: [] });
    expect(after(STATES.running, EVENTS.startRequested)).toEqual({ state: STATES.running, effects: [] });
  });
});

describe('a start', () => {
  it('arms the ready timer before it spawns', () => {
    expect(after(STATES.stopped, EVENTS.startRequested).effects).toEqual([
      { kind: 'cancelTimers' },
      { kind: 'armTimer', timer: 'ready', delayMs: 40_000 },
      { kind: 'spawn' },
    ]);
  });

  it('a background worker runs as soon as its process exists', () => {
    const starting = after(initialState(neverRestart), EVENTS.startRequested, backgroundPolicy);
    expect(starting.effects).toEqual([{ kind: 'cancelTimers' }, { kind: 'spawn' }]);
    expect(after(starting.state, EVENTS.spawned, backgroundPolicy).state).toMatchObject({
      kind: 'running',
      process: aProcess,
    });
  });

  it('one that never became ready is ended at once by force and then counts as never started', () => {
    const stopping = after(STATES.starting, EVENTS.readyTimeout);
    expect(stopping.effects).toContainEqual({ kind: 'requestStop', by: 'rollcall', force: true, again: false });
    const killed = anExit({ code: null, signal: 'SIGTERM', class: 'asked to stop', requestedBy: 'rollcall' });
    const ended = after(stopping.state, { kind: 'exited', exit: killed });
    expect(ended.state).toMatchObject({ kind: 'backoff', exit: { class: 'never started', requestedBy: null } });
  });

  it.each(['not installed', 'config', 'auth'] as const)('that failed as "%s" is not tried again', (cause) => {
    const text = 'Install it first.';
    expect(after(STATES.starting, { kind: 'spawnFailed', cause, text }).state).toMatchObject({ kind: 'failed', text });
  });

  it('is not ready before it has a process', () => {
    const unborn: WorkerState = { ...STATES.starting, process: null };
    expect(after(unborn, EVENTS.becameReady).state).toBe(unborn);
  });

  it('what another leader owns is not started', () => {
    const foreign = after(STATES.running, EVENTS.ownershipLost).state;
    expect(after(foreign, EVENTS.startRequested)).toEqual({ state: foreign, effects: [] });
  });
});

describe('a stop', () => {
  it('asks the keeper and arms the timer that presses on', () => {
    expect(after(STATES.running, EVENTS.stopRequested).effects).toEqual([
      { kind: 'cancelTimers' },
      { kind: 'requestStop', by: 'cli', force: false, again: false },
      { kind: 'armTimer', timer: 'stop', delayMs: agentPolicy.stopMs },
    ]);
  });

  it('repeated, presses the ladder on, and the first who asked stays on the receipt', () => {
    const { state, effects } = after(STATES.stopping, { kind: 'stopRequested', by: 'cli', force: true });
    expect(state).toMatchObject({ wish: { by: 'vscode', force: true } });
    expect(effects).toContainEqual({ kind: 'requestStop', by: 'vscode', force: true, again: true });
  });

  it('asked for before the process existed is asked again once it does', () => {
    const stopping = after({ ...STATES.starting, process: null }, EVENTS.stopRequested).state;
    expect(effectKinds(stopping, EVENTS.spawned)).toEqual(['requestStop']);
  });

  it('outlives the loss of the lease: found again, the worker is stopped and not run', () => {
    const lost = after(STATES.stopping, EVENTS.ownershipLost);
    expect(lost.effects).toEqual([{ kind: 'cancelTimers' }, { kind: 'release' }]);
    const found = after(lost.state, EVENTS.provenAlive);
    expect(found.state).toMatchObject({ kind: 'stopping', wish });
    expect(found.effects).toContainEqual({ kind: 'requestStop', by: 'vscode', force: false, again: false });
  });

  it('of a worker that waits for its restart disarms the wait', () => {
    const stopped = after(STATES.backoff, EVENTS.stopRequested);
    expect(stopped.effects).toEqual([{ kind: 'cancelTimers' }]);
    expect(after(stopped.state, EVENTS.backoffElapsed).state.kind).toBe('stopped');
  });

  it('of a worker that nobody can see is remembered', () => {
    const latched = after(STATES.unknown, EVENTS.stopRequested).state;
    expect(after(latched, EVENTS.provenAlive).state.kind).toBe('stopping');
    expect(after(latched, EVENTS.provenDead).state.kind).toBe('stopped');
  });
});

interface EndCase {
  readonly exit: Partial<ExitRecord> | null;
  readonly word?: TerminalWord;
  readonly asked?: boolean;
  readonly then: Kind;
}

const crashes: readonly ExitClass[] = ['crash', 'never started', 'out of memory', 'killed by someone else'];
const fixable: readonly ExitClass[] = ['auth', 'config', 'not installed', 'exit 0 unconnected'];

/** Lifecycle §4 for a background worker, which is never restarted. */
const ENDS: readonly EndCase[] = [
  { exit: { class: 'done' }, then: 'completed' },
  { exit: { class: 'done' }, word: 'failed', then: 'failed' },
  { exit: { class: 'done' }, word: 'stopped', then: 'stopped' },
  { exit: { class: 'done' }, asked: true, then: 'stopped' },
  { exit: { class: 'done' }, asked: true, word: 'completed', then: 'completed' },
  { exit: { class: 'done' }, asked: true, word: 'failed', then: 'failed' },
  { exit: { class: 'done', requestedBy: 'an earlier window' }, then: 'stopped' },
  { exit: { class: 'asked to stop', signal: 'SIGKILL', code: null }, then: 'stopped' },
  { exit: { class: 'asked to stop', signal: 'SIGKILL', code: null }, word: 'completed', then: 'completed' },
  { exit: { class: 'crash', code: 1 }, asked: true, then: 'stopped' },
  { exit: { class: 'crash', code: 3 }, word: 'completed', then: 'failed' },
  { exit: { class: 'rate limited', code: 1 }, then: 'parked' },
  { exit: { class: 'rate limited', code: 1 }, word: 'completed', then: 'completed' },
  { exit: { class: 'rate limited', code: 1 }, asked: true, then: 'stopped' },
  { exit: { class: 'unknown exit', code: null }, then: 'unknown' },
  { exit: { class: 'unknown exit', code: null }, word: 'completed', then: 'completed' },
  { exit: { class: 'unknown exit', code: null }, asked: true, then: 'stopped' },
  { exit: null, then: 'unknown' },
  { exit: null, word: 'failed', then: 'failed' },
  { exit: null, asked: true, then: 'stopped' },
  ...[...crashes, ...fixable].map((exitClass) => ({ exit: { class: exitClass, code: 1 }, then: 'failed' }) as const),
];

describe('an end', () => {
  it.each(ENDS)('$exit.class (asked: $asked, said: $word) makes it $then', ({ exit, word, asked, then }) => {
    let state: WorkerState = { ...STATES.running, restarts: neverRestart, word: word ?? null };
    if (asked === true) {
      state = after(state, EVENTS.stopRequested, backgroundPolicy).state;
    }
    const ended = exit === null ? null : anExit(exit);
    const event = ended === null ? EVENTS.provenDead : ({ kind: 'exited', exit: ended } as const);
    const move = after(state, event, backgroundPolicy);
    expect(move.state.kind).toBe(then);
    const recorded = move.effects.filter((effect) => effect.kind === 'recordExit');
    expect(recorded).toEqual(ended === null ? [] : [{ kind: 'recordExit', exit: ended }]);
  });

  it.each(crashes)('%s of an agent waits for its restart', (exitClass) => {
    const { state, effects } = after(STATES.running, { kind: 'exited', exit: anExit({ class: exitClass, code: 1 }) });
    expect(state).toMatchObject({ kind: 'backoff', until: 6_000 });
    expect(effects).toContainEqual({ kind: 'armTimer', timer: 'backoff', delayMs: 5_000 });
  });

  it('that uses up the restarts fails and says how many were spent', () => {
    let state: WorkerState = STATES.running;
    for (const event of [EVENTS.exited, EVENTS.backoffElapsed, EVENTS.exited, EVENTS.backoffElapsed, EVENTS.exited]) {
      state = after(state, event).state;
    }
    expect(state.kind).toBe('backoff');
    state = after(after(state, EVENTS.backoffElapsed).state, EVENTS.exited).state;
    expect(state).toMatchObject({ kind: 'failed', cause: 'crash', restartsSpent: 3 });
  });

  it('by a rate limit waits until the time that the engine named, and spends no restart', () => {
    const limited = after(STATES.running, EVENTS.rateLimited).state;
    const parked = after(limited, { kind: 'exited', exit: anExit({ class: 'rate limited' }) });
    expect(parked.state).toMatchObject({ kind: 'parked', until: 90_000, restarts });
    expect(parked.effects).toContainEqual({ kind: 'armTimer', timer: 'park', delayMs: 89_000 });
  });

  it('whose last word arrives late follows that word, except after a crash', () => {
    const { completed, stopped, failed } = STATES;
    expect(after(stopped, { kind: 'wordHeard', word: 'failed' }).state).toMatchObject({ cause: 'own word' });
    expect(after(completed, { kind: 'wordHeard', word: 'stopped' }).state.kind).toBe('stopped');
    expect(after(failed, { kind: 'wordHeard', word: 'completed' }).state).toBe(failed);
  });

  it('that nobody saw is mended by a record or a word that turns up', () => {
    const lost = after({ ...STATES.running, restarts: neverRestart }, EVENTS.provenDead, backgroundPolicy).state;
    expect(lost).toMatchObject({ kind: 'unknown', reason: 'exit unseen' });
    expect(after(lost, EVENTS.wordHeard).state.kind).toBe('completed');
    expect(after(lost, EVENTS.exited, backgroundPolicy).state.kind).toBe('failed');
  });

  it('with an exit on record is final: the same process cannot be alive again', () => {
    expect(after(STATES.completed, EVENTS.provenAlive).state).toBe(STATES.completed);
    const thoughtFailed: WorkerState = { ...STATES.failed, exit: null };
    expect(after(thoughtFailed, EVENTS.provenAlive).state.kind).toBe('running');
  });
});

describe('signs of life', () => {
  it('silence asks the keeper once and kills nobody', () => {
    const silent = after(STATES.running, { kind: 'healthSeen', health: 'silent' });
    expect(silent).toEqual({ state: { ...STATES.running, health: 'silent' }, effects: [{ kind: 'probe' }] });
    expect(effectKinds(silent.state, { kind: 'healthSeen', health: 'silent' })).toEqual([]);
  });

  it('a stable time gives the restarts back', () => {
    const tired: WorkerState = { ...STATES.running, restarts: { ...backoffPolicy(), used: 2 } as typeof restarts };
    expect(after(tired, EVENTS.stableElapsed).state).toMatchObject({ restarts: { used: 0 } });
  });
});
