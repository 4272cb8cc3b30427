import { assertNever } from '../base/assertNever';
import { BY_STOP_FLAG, type ExitRecord } from '../protocol/keeper/exitRecord';
import type { WorkerProcess } from '../protocol/keeper/processIdentity';
import { resetRestarts, type RestartPolicy } from './restartPolicy';
import { enter, type Ending, type Life, type Move, park, restartOr, saidState, settle, spent } from './settle';
import type { WorkerEffect } from './workerEffect';
import type { WorkerEvent } from './workerEvent';
import type { WorkerPolicy } from './workerPolicy';
import { initialState, type StateOf, type StopWish, type TerminalWord, type WorkerState } from './workerState';

type EventOf<K extends WorkerEvent['kind']> = Extract<WorkerEvent, { kind: K }>;

/** Who asks in the receipts when no person did. */
const OURSELVES = 'rollcall';

/**
 * The one function through which a worker's state changes (lifecycle §3). Pure. It promises: a stop is a latch that only
 * `startRequested` opens; a spawn is asked for only where no process can be alive; every exit is recorded once; whatever
 * is starting or stopping has a spawn under way or a timer that ends it.
 */
export function transition(state: WorkerState, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (state.kind) {
    case 'starting':
      return whileStarting(state, event, policy);
    case 'running':
      return whileRunning(state, event, policy);
    case 'stopping':
      return whileStopping(state, event, policy);
    case 'backoff':
    case 'parked':
      return whileWaiting(state, event, policy);
    case 'completed':
    case 'failed':
    case 'stopped':
      return whenEnded(state, event, policy);
    case 'unknown':
      return whenUnknown(state, event, policy);
    default:
      return assertNever(state, 'worker state');
  }
}

function stay(state: WorkerState, ...effects: readonly WorkerEffect[]): Move {
  return { state, effects };
}

function whileStarting(state: StateOf<'starting'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'spawned':
      return policy.readyMs === null ? run(state, event.process, policy) : stay({ ...state, process: event.process });
    case 'becameReady':
      // Ready without a process is a late word of an attempt before this one.
      return state.process === null ? stay(state) : run(state, state.process, policy);
    case 'provenAlive':
      return stay({ ...state, process: event.process });
    case 'readyTimeout':
      return beginStop(state, null, policy);
    case 'spawnFailed':
      return spawnFailed(lifeOf(state), event);
    default:
      return whileAlive(state, event, policy);
  }
}

function whileRunning(state: StateOf<'running'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'stableElapsed':
      return stay({ ...state, restarts: resetRestarts(state.restarts) });
    case 'spawned':
    case 'provenAlive':
      return stay({ ...state, process: event.process });
    default:
      return whileAlive(state, event, policy);
  }
}

/** What starting and running have in common. */
function whileAlive(state: StateOf<'starting' | 'running'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'exited':
    case 'provenDead':
      return settle(lifeOf(state), event, policy);
    case 'stopRequested':
      return beginStop(state, wishOf(event), policy);
    case 'wordHeard':
      return stay({ ...state, word: event.word });
    case 'rateLimited':
      return stay({ ...state, limitedUntil: event.until ?? event.at + policy.parkMs });
    case 'healthSeen':
      return event.health === 'silent' && state.health !== 'silent'
        ? stay({ ...state, health: event.health }, { kind: 'probe' })
        : stay({ ...state, health: event.health });
    case 'ownershipLost':
      return letGo(lifeOf(state));
    default:
      return stay(state);
  }
}

function whileStopping(state: StateOf<'stopping'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'exited':
    case 'provenDead':
      return settle(lifeOf(state), state.wish === null ? neverStarted(event) : event, policy);
    case 'spawnFailed':
      return state.wish === null
        ? spawnFailed(lifeOf(state), event)
        : enter(saidState(state.word ?? 'stopped', null, state.wish));
    case 'stopRequested':
      return pressStop(state, firstWish(state.wish, event), event.force, policy);
    case 'graceElapsed':
      return pressStop(state, state.wish, true, policy);
    case 'stopStepTaken':
      return stay({ ...state, step: event.step });
    case 'spawned':
    case 'provenAlive':
      // The stop was asked for before there was somebody to ask: it must not get lost.
      return stay({ ...state, process: event.process }, askToStop(state.wish, { again: false }));
    case 'wordHeard':
      return stay({ ...state, word: event.word });
    case 'ownershipLost':
      return letGo(lifeOf(state));
    default:
      return stay(state);
  }
}

function whileWaiting(state: StateOf<'backoff' | 'parked'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'startRequested':
      return begin(policy.restarts, policy);
    case 'backoffElapsed':
      return state.kind === 'backoff' ? begin(state.restarts, policy) : stay(state);
    case 'parkElapsed':
      return state.kind === 'parked' ? begin(state.restarts, policy) : stay(state);
    case 'rateLimited':
      return state.kind === 'parked'
        ? park(event.until ?? event.at + policy.parkMs, exitOf(state), event.at)
        : stay(state);
    case 'stopRequested':
      return enter({ kind: 'stopped', exit: state.exit, wish: wishOf(event) });
    case 'provenAlive':
      return state.exit === null ? run(newborn(state.restarts), event.process, policy) : stay(state);
    case 'ownershipLost':
      return letGo({ ...newborn(state.restarts), wish: null });
    default:
      return stay(state);
  }
}

function whenEnded(state: StateOf<'completed' | 'failed' | 'stopped'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'startRequested':
      return begin(policy.restarts, policy);
    case 'wordHeard':
      return heardLate(state, event.word);
    case 'provenAlive':
      return state.exit === null ? provenWrong(state, event, policy) : stay(state);
    default:
      return stay(state);
  }
}

function whenUnknown(state: StateOf<'unknown'>, event: WorkerEvent, policy: WorkerPolicy): Move {
  switch (event.kind) {
    case 'startRequested':
      // What is not ours may be alive: starting it again could make a second one.
      return state.reason === 'not ours' ? stay(state) : begin(policy.restarts, policy);
    case 'provenAlive':
      return state.exit === null ? comeBack(lifeOf(state), event.process, policy) : stay(state);
    case 'exited':
      return state.reason === 'not ours' ? stay(state) : endUnseen(state, event, policy);
    case 'provenDead':
      return endUnseen(state, event, policy);
    case 'stopRequested':
      return stay({ ...state, wish: firstWish(state.wish, event) });
    case 'wordHeard':
      return state.reason === 'exit unseen'
        ? enter(saidState(event.word, state.exit, state.wish))
        : stay({ ...state, word: event.word });
    case 'ownershipLost':
      return state.reason === 'not looked at' ? letGo(lifeOf(state)) : stay(state);
    default:
      return stay(state);
  }
}

/** An end of what was not followed; what is known to be gone already ends only once. */
function endUnseen(state: StateOf<'unknown'>, ending: Ending, policy: WorkerPolicy): Move {
  const known = state.reason === 'exit unseen' && (ending.exit === null || state.exit !== null);
  return known ? stay(state) : settle(lifeOf(state), ending, policy);
}

function begin(restarts: RestartPolicy, policy: WorkerPolicy): Move {
  const state: WorkerState = { kind: 'starting', process: null, ...newborn(restarts) };
  return policy.readyMs === null
    ? enter(state, { kind: 'spawn' })
    : enter(state, { kind: 'armTimer', timer: 'ready', delayMs: policy.readyMs }, { kind: 'spawn' });
}

type Newborn = Pick<StateOf<'running'>, 'health' | 'word' | 'limitedUntil' | 'restarts'>;

function newborn(restarts: RestartPolicy): Newborn {
  return { health: 'ok', word: null, limitedUntil: null, restarts };
}

function run(from: Newborn, process: WorkerProcess | null, policy: WorkerPolicy): Move {
  const { health, word, limitedUntil, restarts } = from;
  return enter(
    { kind: 'running', process, health, word, limitedUntil, restarts },
    { kind: 'armTimer', timer: 'stable', delayMs: policy.stableMs },
  );
}

function beginStop(state: StateOf<'starting' | 'running'>, wish: StopWish | null, policy: WorkerPolicy): Move {
  const { process, word, restarts } = state;
  return enter({ kind: 'stopping', process, wish, step: 'asked', word, restarts }, askToStop(wish, { again: false }), {
    kind: 'armTimer',
    timer: 'stop',
    delayMs: policy.stopMs,
  });
}

function pressStop(state: StateOf<'stopping'>, wish: StopWish | null, force: boolean, policy: WorkerPolicy): Move {
  return enter({ ...state, wish }, askToStop(wish, { again: true, force }), {
    kind: 'armTimer',
    timer: 'stop',
    delayMs: policy.stopMs,
  });
}

function askToStop(wish: StopWish | null, how: { readonly again: boolean; readonly force?: boolean }): WorkerEffect {
  // A worker that never became ready gets no polite request: nobody listens.
  const force = how.force ?? wish?.force ?? true;
  return { kind: 'requestStop', by: wish?.by ?? OURSELVES, force, again: how.again };
}

function spawnFailed(life: Life, event: EventOf<'spawnFailed'>): Move {
  const { cause, text, at } = event;
  const failed: WorkerState = { kind: 'failed', cause, text, exit: null, restartsSpent: spent(life) };
  const final = cause === 'not installed' || cause === 'config' || cause === 'auth';
  return final ? enter(failed) : restartOr(failed, life, { exit: null, at });
}

/** Its process was ours to end because it gave no sign of readiness: the exit says that, whatever the signal. */
function neverStarted(ending: Ending): Ending {
  const exit: ExitRecord | null = ending.exit && { ...ending.exit, class: 'never started', requestedBy: null };
  return { exit, at: ending.at };
}

function heardLate(state: StateOf<'completed' | 'failed' | 'stopped'>, word: TerminalWord): Move {
  // A crash or a failed start stays one; everything else follows the worker's own word, also after a stop.
  const fixed = state.kind === 'failed' || state.kind === word;
  return stay(fixed ? state : saidState(word, state.exit, state.kind === 'stopped' ? state.wish : null));
}

/** It was thought ended without an exit that anybody saw, and lives. A stop still holds. */
function provenWrong(
  state: StateOf<'completed' | 'failed' | 'stopped'>,
  event: EventOf<'provenAlive'>,
  policy: WorkerPolicy,
): Move {
  const wish = state.kind === 'stopped' ? state.wish : null;
  return comeBack({ ...newborn(policy.restarts), wish }, event.process, policy);
}

function comeBack(life: Life, process: WorkerProcess, policy: WorkerPolicy): Move {
  const { word, restarts } = life;
  const running = { kind: 'running', process, health: 'ok', word, limitedUntil: null, restarts } as const;
  return life.wish === null ? run(running, process, policy) : beginStop(running, life.wish, policy);
}

function letGo(life: Life): Move {
  const { wish, word, restarts } = life;
  return enter({ ...initialState(restarts), reason: 'not ours', wish, word }, { kind: 'release' });
}

function lifeOf(state: StateOf<'starting' | 'running' | 'stopping' | 'unknown'>): Life {
  const { restarts, word } = state;
  return 'wish' in state
    ? { restarts, word, wish: state.wish, limitedUntil: null }
    : { restarts, word, wish: null, limitedUntil: state.limitedUntil };
}

function exitOf(state: StateOf<'parked'>): { readonly exit: ExitRecord | null; readonly restarts: RestartPolicy } {
  return { exit: state.exit, restarts: state.restarts };
}

function wishOf(event: EventOf<'stopRequested'>): StopWish {
  return { by: event.by, force: event.force, at: event.at };
}

/** The first one who has a name wins, and a flag has none; force only grows. */
function firstWish(wish: StopWish | null, event: EventOf<'stopRequested'>): StopWish {
  const force = event.force || wish?.force === true;
  return { ...(wish === null || wish.by === BY_STOP_FLAG ? wishOf(event) : wish), force };
}
