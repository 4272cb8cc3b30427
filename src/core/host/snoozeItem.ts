import { fail, ok } from '../base/result';
import { fleetFuseNamed } from '../protocol/fleetFuse';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { askItemId, rowItemId } from '../protocol/workers/itemIds';
import { withSnooze } from '../protocol/workers/snoozes';
import { parseTimestamp } from '../protocol/workers/timestamp';
import type { Outcome, Refusal, Snoozed, SnoozeRequest } from './api';
import type { HostContext } from './hostContext';
import { noteInEntry } from './noteInEntry';

/** Nothing is put off for longer than a year, milliseconds: so a slip of the pen hides nothing for good. */
const LONGEST_MS = 366 * 24 * 60 * 60 * 1000;

/** Why nothing can be put off until then, or null. */
export function snoozeRefusal({ item, until }: SnoozeRequest, now: number): Refusal | null {
  const fuse = fleetFuseNamed(item);
  if (fuse !== null) {
    // While it is blown nothing is started, so it cannot be out of sight.
    const message = `A fuse of the whole project is reset and not put off: rollcall fuse reset ${fuse}.`;
    return { code: 'wrong-state', message };
  }
  return Number.isFinite(until) && until - now <= LONGEST_MS
    ? null
    : { code: 'failed', message: 'Nothing can be put off for longer than a year. Give a shorter time.' };
}

/**
 * Puts off what a worker needs a person for: the registry says so, from where the log of events has it. The item that is
 * named, or the oldest of the worker. A program that waits for an answer is not told, and its time goes on.
 */
export async function snoozeWorkerItem(
  { item, until, requestedBy: by }: SnoozeRequest,
  worker: WorkerSnapshot,
  host: HostContext,
): Promise<Outcome<Snoozed>> {
  const found = itemsOf(worker).find(({ id }) => id === item || item === worker.workerId);
  if (found === undefined) {
    const message = `Nothing in the inbox is called ${item}. Look at it again.`;
    return fail<Refusal>({ code: 'not-found', message });
  }
  const snooze = { item: found.id, until: new Date(until).toISOString(), by };
  const written = await noteInEntry(host, worker.workerId, (entry) => withSnooze(entry, snooze));
  return written.ok ? ok({ item: found.id, until, deniedAt: found.deniedAt }) : written;
}

function itemsOf(worker: WorkerSnapshot): readonly { readonly id: string; readonly deniedAt: number | null }[] {
  const { workerId, engine, attention, problem } = worker;
  const asks = engine?.asks ?? [];
  if (asks.length > 0) {
    return asks.map(({ requestId, until }) => ({
      id: askItemId(workerId, requestId),
      deniedAt: parseTimestamp(until),
    }));
  }
  return attention === null && problem === null ? [] : [{ id: rowItemId(workerId), deniedAt: null }];
}
