import { isExitRecord } from '../keeper/readKeeperRecord';
import { stopSteps } from '../keeper/stopReceipt';
import { workerStateKinds, type WorkerStateKind } from '../snapshot';
import type { EventLine } from './eventLine';
import {
  FORGET_FIRST,
  REMEMBERED_REQUESTS,
  requestKey,
  snoozeKey,
  type FleetMoment,
  type WorkerMoment,
} from './fleetMoment';

type Data = EventLine['data'];

/** An ended worker leaves the registry after a day; two days on nobody asks the log about it. */
const FORGET_AFTER_MS = 48 * 60 * 60 * 1000;
const ENDED: ReadonlySet<WorkerStateKind | null> = new Set(['completed', 'failed', 'stopped', 'unknown']);

/** A worker's moment while it is folded. */
type Draft = { -readonly [K in keyof WorkerMoment]: WorkerMoment[K] };

/**
 * Folds events into a moment, one after another. Lines whose data make no sense change nothing but the place in the log.
 * Everything in it is changed in place, because a million events are folded at a start.
 */
export class MomentFold {
  readonly #workers: Map<string, Draft>;
  readonly #queue: Map<string, string>;
  #seq: number;
  #epoch: number;
  #at: string | null;
  #leader: FleetMoment['leader'];
  #fuses: readonly string[];
  #forgetAt: number;

  constructor(from: FleetMoment) {
    this.#workers = new Map([...from.workers].map(([id, worker]) => [id, { ...worker }]));
    this.#queue = new Map(from.queue);
    this.#seq = from.seq;
    this.#epoch = from.epoch;
    this.#at = from.at;
    this.#leader = from.leader;
    this.#fuses = from.fuses;
    this.#forgetAt = from.forgetAt;
  }

  /** The fleet after the last event. Its workers and queue move on with the fold. */
  get moment(): FleetMoment {
    return {
      seq: this.#seq,
      epoch: this.#epoch,
      at: this.#at,
      leader: this.#leader,
      workers: this.#workers,
      queue: this.#queue,
      fuses: this.#fuses,
      forgetAt: this.#forgetAt,
    };
  }

  get seq(): number {
    return this.#seq;
  }

  apply(line: EventLine): void {
    this.#seq = line.seq;
    this.#epoch = line.epoch;
    this.#at = line.timestamp;
    this.#change(line);
  }

  #change({ type, data, timestamp }: EventLine): void {
    switch (type) {
      case 'LeaderChanged':
        this.#leader = leaderOf(data, timestamp);
        return;
      case 'StartQueued':
        this.#queue.set(textIn(data, 'id'), textIn(data, 'workerType'));
        return;
      case 'StartDequeued':
        this.#queue.delete(textIn(data, 'id'));
        return;
      case 'WorkerStarted':
        this.#begin(textIn(data, 'worker'), data, timestamp);
        return;
      case 'FuseBlown':
      case 'FuseReset':
        if (data['worker'] === null) {
          this.#changeFuses(type, textIn(data, 'fuse'));
          return;
        }
        this.#changeWorker(type, data, timestamp);
        return;
      default:
        this.#changeWorker(type, data, timestamp);
    }
  }

  #changeWorker(type: string, data: Data, timestamp: string): void {
    const worker = this.#workers.get(textIn(data, 'worker'));
    if (worker !== undefined && changeWorker(worker, type, data)) {
      worker.changedAt = timestamp;
    }
  }

  #changeFuses(type: 'FuseBlown' | 'FuseReset', fuse: string): void {
    const others = this.#fuses.filter((one) => one !== fuse);
    this.#fuses = type === 'FuseBlown' ? [...others, fuse] : others;
  }

  #begin(id: string, data: Data, at: string): void {
    if (id === '' || this.#workers.has(id)) {
      return;
    }
    if (this.#workers.size >= this.#forgetAt) {
      this.#forgetBefore(Date.parse(at) - FORGET_AFTER_MS);
    }
    this.#workers.set(id, {
      type: textIn(data, 'workerType'),
      state: null,
      startedAt: textIn(data, 'startedAt'),
      changedAt: at,
      exit: null,
      stopBy: null,
      stopStep: null,
      fuse: null,
      violations: 0,
      retryOf: null,
    });
  }

  #forgetBefore(time: number): void {
    // A time that cannot be read forgets nobody. As texts they compare as instants do, and faster.
    const limit = Number.isFinite(time) ? new Date(time).toISOString() : '';
    for (const [id, { state, changedAt }] of this.#workers) {
      if (ENDED.has(state) && changedAt < limit) {
        this.#workers.delete(id);
      }
    }
    this.#forgetAt = Math.max(FORGET_FIRST, this.#workers.size * 2);
  }
}

/** Does to the worker what the event says; false for events that change none, and for data that make no sense. */
function changeWorker(worker: Draft, type: string, data: Data): boolean {
  switch (type) {
    case 'WorkerStateChanged':
      return changeState(worker, data['to']);
    case 'WorkerExited':
      return changeExit(worker, data['exit']);
    case 'WorkerStopRequested':
      worker.stopBy = textIn(data, 'by');
      return true;
    case 'StopStepTaken':
      return changeStep(worker, data['step']);
    case 'FuseBlown':
      worker.fuse = textIn(data, 'fuse');
      delete worker.fuseReset;
      return true;
    case 'FuseReset':
      worker.fuseReset = true;
      return true;
    case 'ViolationSeen':
      worker.violations = Number(data['count']);
      return true;
    case 'RequestAsked':
      return remember(worker, requestKey('asked', textIn(data, 'requestId')));
    case 'RequestAnswered':
      return remember(worker, requestKey('answered', textIn(data, 'requestId')));
    case 'ItemSnoozed':
      return remember(worker, snoozeKey(textIn(data, 'item'), textIn(data, 'until')));
    case 'WorkerRetried':
      worker.retryOf = textIn(data, 'retryOf');
      return true;
    default:
      return false;
  }
}

function remember(worker: Draft, key: string): boolean {
  worker.requests = [...(worker.requests ?? []), key].slice(-REMEMBERED_REQUESTS);
  return true;
}

function changeState(worker: Draft, to: unknown): boolean {
  const state = workerStateKinds.find((kind) => kind === to);
  worker.state = state ?? worker.state;
  return state !== undefined;
}

function changeExit(worker: Draft, exit: unknown): boolean {
  const sound = isExitRecord(exit);
  worker.exit = sound ? exit : worker.exit;
  return sound;
}

function changeStep(worker: Draft, step: unknown): boolean {
  const taken = stopSteps.find((known) => known === step);
  worker.stopStep = taken ?? worker.stopStep;
  return taken !== undefined;
}

function leaderOf(data: Data, since: string): FleetMoment['leader'] {
  const { pid, surface } = data;
  return typeof pid === 'number' && typeof surface === 'string' ? { pid, surface, since } : null;
}

function textIn(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? value : '';
}
