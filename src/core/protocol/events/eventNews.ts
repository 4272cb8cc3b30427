import { stopSteps, type StopStep } from '../keeper/stopReceipt';
import type { FleetEvent } from './fleetEvent';
import { requestKey, snoozeKey, type FleetMoment, type WorkerMoment } from './fleetMoment';

/**
 * The event as it is to be written behind this moment, or null when the log knows it already. So an exit, a state or a
 * step of a stop that is met again by adoption is written once (lifecycle §7, §8).
 */
export function newsIn(event: FleetEvent, moment: FleetMoment): FleetEvent | null {
  switch (event.type) {
    case 'WorkerStarted':
      return moment.workers.has(event.data.worker) ? null : event;
    case 'WorkerStateChanged':
      return stateNews(event, moment.workers.get(event.data.worker));
    case 'FuseBlown':
    case 'FuseReset':
      return isFuseNews(event, moment) ? event : null;
    case 'WorkerExited':
    case 'StopStepTaken':
    case 'ViolationSeen':
    case 'RequestAsked':
    case 'RequestAnswered':
    case 'ItemSnoozed':
    case 'WorkerRetried':
      return isNews(event, moment.workers.get(event.data.worker)) ? event : null;
    case 'StartQueued':
      return moment.queue.has(event.data.id) ? null : event;
    case 'StartDequeued':
      return moment.queue.has(event.data.id) ? event : null;
    default:
      return event;
  }
}

type OfWorker = Extract<
  FleetEvent,
  {
    type:
      | 'WorkerExited'
      | 'StopStepTaken'
      | 'ViolationSeen'
      | 'RequestAsked'
      | 'RequestAnswered'
      | 'ItemSnoozed'
      | 'WorkerRetried';
  }
>;

/** What the log says of the state comes first: an adopting leader starts from `unknown`, which never happened. */
function stateNews(
  event: Extract<FleetEvent, { type: 'WorkerStateChanged' }>,
  known: WorkerMoment | undefined,
): FleetEvent | null {
  return known === undefined || known.state === event.data.to
    ? null
    : { ...event, data: { ...event.data, from: known.state } };
}

/** A reset is told where the log knows that exactly this fuse is blown. */
function isFuseNews(
  { type, data: { worker, fuse } }: Extract<FleetEvent, { type: 'FuseBlown' | 'FuseReset' }>,
  { workers, fuses }: FleetMoment,
): boolean {
  if (worker === null) {
    return fuses.includes(fuse) === (type === 'FuseReset');
  }
  const known = workers.get(worker);
  if (known === undefined) {
    return false;
  }
  return type === 'FuseBlown' ? known.fuse !== fuse : known.fuse === fuse && known.fuseReset !== true;
}

/** Of a worker that the log does not know nothing is written: its start comes first, then whatever is still true. */
function isNews(event: OfWorker, known: WorkerMoment | undefined): boolean {
  if (known === undefined) {
    return false;
  }
  switch (event.type) {
    case 'WorkerExited':
      return known.exit?.at !== event.data.exit.at;
    case 'StopStepTaken':
      return rankOf(event.data.step) > rankOf(known.stopStep);
    case 'ViolationSeen':
      return event.data.count > known.violations;
    case 'RequestAsked':
      return !isRemembered(known, requestKey('asked', event.data.requestId));
    case 'RequestAnswered':
      return !isRemembered(known, requestKey('answered', event.data.requestId));
    case 'ItemSnoozed':
      return !isRemembered(known, snoozeKey(event.data.item, event.data.until));
    case 'WorkerRetried':
      return known.retryOf !== event.data.retryOf;
  }
}

function isRemembered({ requests = [] }: WorkerMoment, key: string): boolean {
  return requests.includes(key);
}

function rankOf(step: StopStep | null): number {
  return step === null ? -1 : stopSteps.indexOf(step);
}
