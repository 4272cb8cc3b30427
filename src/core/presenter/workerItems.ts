import type { AskRecord } from '../protocol/engines/keptEngine';
import type { Attention, WorkerSnapshot } from '../protocol/snapshot';
import { parseTimestamp } from '../protocol/workers/timestamp';
import { needsPerson } from './workerOrder';

/** One thing that a worker needs a person for. */
export interface WorkerItem {
  /** Its own for ever: `ask:<worker>:<request>`, or `worker:<worker>` for what the worker's row itself says. */
  readonly id: string;
  readonly kind: Attention['kind'];
  readonly worker: WorkerSnapshot;
  /** What its program waits for; null where it needs something else. */
  readonly ask: AskRecord | null;
  /** From a model or a stranger: not yet fit to show. */
  readonly text: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** What these workers need a person for: each question and permission by itself, else what the worker's row says. */
export function workerItems(workers: readonly WorkerSnapshot[]): readonly WorkerItem[] {
  return workers.filter(needsPerson).flatMap((worker) => {
    const asks = worker.engine?.asks ?? [];
    return asks.length === 0 ? [itemOfRow(worker)] : asks.map((ask) => itemOfAsk(worker, ask));
  });
}

function itemOfAsk(worker: WorkerSnapshot, ask: AskRecord): WorkerItem {
  return {
    id: `ask:${worker.workerId}:${ask.requestId}`,
    kind: ask.isQuestion ? 'question' : 'permission',
    worker,
    ask,
    text: ask.text,
    since: parseTimestamp(ask.since) ?? worker.startedAt,
  };
}

function itemOfRow(worker: WorkerSnapshot): WorkerItem {
  const { workerId, attention, problem, endedAt, startedAt } = worker;
  return {
    id: `worker:${workerId}`,
    kind: attention?.kind ?? 'unreadable',
    worker,
    ask: null,
    text: problem ?? attention?.text ?? '',
    since: endedAt ?? startedAt,
  };
}

/** What an id or a worker's id names among the requests: the worker's oldest one where it names none itself. */
export function requestNamed(name: string): { readonly worker: string; readonly requestId?: string } {
  const [, worker, requestId] = /^ask:([^:]+):(.+)$/.exec(name) ?? [];
  return worker === undefined || requestId === undefined ? { worker: name } : { worker, requestId };
}
