import type { ExitRecord } from '../protocol/keeper/exitRecord';
import { parks } from '../protocol/keeper/parkedExit';
import { parkedUntil } from '../protocol/keeper/parkedUntil';
import { nextRestart, type RestartPolicy } from './restartPolicy';
import type { WorkerEffect } from './workerEffect';
import type { WorkerPolicy } from './workerPolicy';
import type { StopWish, TerminalWord, WorkerState } from './workerState';

/** One move of the state machine. The state is the same object when nothing changed. */
export interface Move {
  readonly state: WorkerState;
  readonly effects: readonly WorkerEffect[];
}

/** What a worker carries into its end. */
export interface Life {
  readonly restarts: RestartPolicy;
  readonly word: TerminalWord | null;
  readonly wish: StopWish | null;
  /** Epoch ms until which its engine was told to wait, or null. */
  readonly limitedUntil: number | null;
}

/** An end as it was observed; `exit` is null when nobody saw it. */
export interface Ending {
  readonly exit: ExitRecord | null;
  /** Epoch ms. */
  readonly at: number;
}

/** Enters a state: the timers of the last one are disarmed first. */
export function enter(state: WorkerState, ...effects: readonly WorkerEffect[]): Move {
  return { state, effects: [{ kind: 'cancelTimers' }, ...effects] };
}

/** The table of lifecycle §4: what an end means, given what was asked and what the worker said of itself. */
export function settle(life: Life, ending: Ending, policy: WorkerPolicy): Move {
  const { exit } = ending;
  const move = endOf(life, ending, policy);
  return exit === null ? move : { ...move, effects: [...move.effects, { kind: 'recordExit', exit }] };
}

function endOf(life: Life, ending: Ending, policy: WorkerPolicy): Move {
  const { exit } = ending;
  const wish = life.wish ?? wishOf(exit);
  if (wish !== null || exit?.class === 'asked to stop') {
    return enter(saidState(life.word ?? 'stopped', exit, wish));
  }
  if (exit === null || exit.class === 'unknown exit') {
    return life.word === null ? restartOr(lost(life, exit), life, ending) : enter(saidState(life.word, exit, null));
  }
  return ownEnd(life, exit, policy, ending.at);
}

/** Nobody asked for it, and it was seen. */
function ownEnd(life: Life, exit: ExitRecord, policy: WorkerPolicy, at: number): Move {
  if (exit.class !== 'rate limited' && parks(exit)) {
    return park(Date.parse(exit.at), { exit, restarts: life.restarts }, at);
  }
  switch (exit.class) {
    case 'done':
      return enter(saidState(life.word ?? 'completed', exit, null));
    case 'rate limited':
      return life.word === 'completed'
        ? enter(saidState(life.word, exit, null))
        : park(life.limitedUntil ?? parkedUntil(exit, policy.parkMs), { exit, restarts: life.restarts }, at);
    case 'auth':
    case 'config':
    case 'not installed':
    case 'exit 0 unconnected':
      return enter(failedBy(exit, 0));
    default:
      // What the worker said does not unmake a crash, but nothing that said its last word is started again.
      return life.word === null ? restartOr(failedBy(exit, spent(life)), life, { exit, at }) : enter(failedBy(exit, 0));
  }
}

/** Waits for the end of a rate limit; a time that is past already waits not at all. */
export function park(
  until: number,
  rest: { readonly exit: ExitRecord | null; readonly restarts: RestartPolicy },
  now: number,
): Move {
  const delayMs = Math.max(0, until - now);
  return enter({ kind: 'parked', until, ...rest }, { kind: 'armTimer', timer: 'park', delayMs });
}

/** Starts again after the policy's delay, or ends as `gaveUp` says. */
export function restartOr(gaveUp: WorkerState, life: Life, ending: Ending): Move {
  const next = nextRestart(life.restarts, ending.at);
  if (next === 'give-up') {
    return enter(gaveUp);
  }
  return enter(
    { kind: 'backoff', until: ending.at + next.delayMs, exit: ending.exit, restarts: next.policy },
    { kind: 'armTimer', timer: 'backoff', delayMs: next.delayMs },
  );
}

/** The state that a worker's own terminal word names. */
export function saidState(word: TerminalWord, exit: ExitRecord | null, wish: StopWish | null): WorkerState {
  switch (word) {
    case 'completed':
      return { kind: 'completed', exit };
    case 'failed':
      return { kind: 'failed', cause: 'own word', text: null, exit, restartsSpent: 0 };
    case 'stopped':
      return { kind: 'stopped', exit, wish };
  }
}

/** Restarts in a row that were spent so far. */
export function spent(life: Pick<Life, 'restarts'>): number {
  return life.restarts.kind === 'never' ? 0 : life.restarts.used;
}

function failedBy(exit: ExitRecord, restartsSpent: number): WorkerState {
  return { kind: 'failed', cause: exit.class, text: null, exit, restartsSpent };
}

function lost(life: Life, exit: ExitRecord | null): WorkerState {
  return { kind: 'unknown', reason: 'exit unseen', exit, wish: null, word: null, restarts: life.restarts };
}

/** A keeper that was asked by somebody else (a window before this one) says so in the exit. */
function wishOf(exit: ExitRecord | null): StopWish | null {
  return exit === null || exit.requestedBy === null
    ? null
    : { by: exit.requestedBy, force: exit.forced, at: Date.parse(exit.at) };
}
