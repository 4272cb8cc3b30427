import { isMessage } from '../../core/protocol/actors/isMessage';
import { isRecord } from '../../core/protocol/events/jsonGuards';
import type { MailboxRecord, MailItem, MailState } from '../../core/protocol/keeper/mail';
import { ControlError } from '../../core/system/controlMessage';
import type { ControlMethod, ControlPeer } from '../../core/system/controlServer';
import type { LeaderFeed } from './leaderFeed';
import type { Spool } from './spool';

export interface MailMethodsOptions {
  readonly spool: Spool;
  readonly feed: LeaderFeed;
  readonly record: () => MailboxRecord;
  /** There is new mail for the agent. */
  readonly onMail: () => void;
}

/** More mail than this waits in the leader's log instead, because every piece costs memory here. */
const MAX_WAITING = 100_000;

/** The methods of a keeper's pipe that hosts a mailbox (mail.ts); only for the process that leads. */
export function mailMethods(options: MailMethodsOptions): Readonly<Record<string, ControlMethod>> {
  const { spool, feed } = options;
  return {
    attach: (params, peer): MailState => {
      const taken = numberIn(leading(params, peer), 'taken');
      spool.meet(taken);
      feed.attach(peer, taken);
      return { mailbox: options.record(), ...spool.state() };
    },
    taken: (params, peer) => {
      spool.take(numberIn(leading(params, peer), 'upTo'));
    },
    deliver: (params, peer) => {
      const items = itemsIn(leading(params, peer));
      if (spool.waiting >= MAX_WAITING) {
        throw new ControlError({ code: 'full', message: 'Very much mail waits for this agent; deliver more later.' });
      }
      spool.deliver(items);
      options.onMail();
    },
    withdraw: (params, peer) => spool.withdraw(numbersIn(leading(params, peer), 'seqs')),
  };
}

/** The parameters, where the caller leads: the pipe itself refuses one that does not any more. */
function leading(params: unknown, peer: ControlPeer): Readonly<Record<string, unknown>> {
  if (peer.epoch === 0) {
    throw new ControlError({ code: 'not-leader', message: 'Only the process that leads has to do with mail.' });
  }
  return isRecord(params) ? params : {};
}

function numberIn(params: Readonly<Record<string, unknown>>, name: string): number {
  const value = params[name];
  return isNumber(value) ? value : badRequest(name);
}

function numbersIn(params: Readonly<Record<string, unknown>>, name: string): readonly number[] {
  const value = params[name];
  return Array.isArray(value) && value.every(isNumber) ? value : badRequest(name);
}

function itemsIn(params: Readonly<Record<string, unknown>>): readonly MailItem[] {
  const value = params['items'];
  return Array.isArray(value) && value.every(isItem) ? value : badRequest('items');
}

function isItem(value: unknown): value is MailItem {
  return isRecord(value) && isNumber(value['seq']) && isMessage(value['message']);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function badRequest(name: string): never {
  throw new ControlError({ code: 'bad-request', message: `The request needs ${name} of the right kind.` });
}
