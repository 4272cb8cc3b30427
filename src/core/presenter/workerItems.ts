import type { AskRecord } from '../protocol/engines/keptEngine';
import type { Attention, WorkerSnapshot } from '../protocol/snapshot';
import { askItemId, rowItemId } from '../protocol/workers/itemIds';
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
  /** Until when a person has put it off, epoch milliseconds; null where nobody has, or it is back. */
  readonly snoozedUntil: number | null;
}

/** What these workers need a person for: each question and permission by itself, else what the worker's row says. */
export function workerItems(workers: readonly WorkerSnapshot[]): readonly WorkerItem[] {
  return workers.filter(needsPerson).flatMap((worker) => {
    const asks = worker.engine?.asks ?? [];
    return asks.length === 0 ? [itemOfRow(worker)] : asks.map((ask) => itemOfAsk(worker, ask));
  });
}

function itemOfAsk(worker: WorkerSnapshot, ask: AskRecord): WorkerItem {
  const id = askItemId(worker.workerId, ask.requestId);
  return {
    id,
    kind: ask.isQuestion ? 'question' : 'permission',
    worker,
    ask,
    text: ask.text,
    since: parseTimestamp(ask.since) ?? worker.startedAt,
    snoozedUntil: worker.snoozed[id] ?? null,
  };
}

function itemOfRow(worker: WorkerSnapshot): WorkerItem {
  const { workerId, attention, problem, endedAt, startedAt, snoozed } = worker;
  const id = rowItemId(workerId);
  return {
    id,
    kind: attention?.kind ?? 'unreadable',
    worker,
    ask: null,
    text: problem ?? attention?.text ?? '',
    since: endedAt ?? startedAt,
    snoozedUntil: snoozed[id] ?? null,
  };
}
