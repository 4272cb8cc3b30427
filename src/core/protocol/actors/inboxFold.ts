import { taskOf } from './answers';
import { clipMessage } from './clipMessage';
import type { Message } from './message';
import type { ItemMoment } from './sessionMoment';

/** Items beyond that push out those that a person need not act upon, then the oldest. */
const ITEMS_KEPT = 1_000;

/** Of a message that waits for a person; a longer one is read in the log. */
const ITEM_LETTERS = 20_000;

/** What a message to the person asks of them, or null where there is nothing to do about it. */
export function itemKindOf({ type, payload }: Message): 'question' | 'blocked' | 'problem' | null {
  switch (type) {
    case 'Query':
    case 'ValidationRequest':
      return 'question';
    case 'WorkBlocked':
    case 'WorkAbandoned':
      return 'blocked';
    case 'ProblemReport':
      return 'problem';
    case 'System':
      return payload['systemEvent'] === 'error' ? 'problem' : null;
    default:
      return null;
  }
}

/** The id of the item about the message with this number. */
function itemIdOf(seq: number): string {
  return `msg:${String(seq)}`;
}

/**
 * The open items of the inbox by id, oldest first, while they are folded. Each is found by its message's id or task in
 * one step, because every message may settle one.
 */
export class InboxFold {
  readonly items: Map<string, ItemMoment>;
  readonly #byMessage = new Map<string, Set<string>>();
  readonly #byTask = new Map<string, Set<string>>();

  constructor(items: ReadonlyMap<string, ItemMoment>) {
    this.items = new Map(items);
    for (const [id, item] of this.items) {
      this.#index(id, item);
    }
  }

  /** Puts an item in, in place of one about the same message. */
  add(item: ItemMoment): void {
    const id = itemIdOf(item.seq);
    this.remove(id);
    const kept = { ...item, message: clipMessage(item.message, ITEM_LETTERS) };
    this.items.set(id, kept);
    this.#index(id, kept);
    if (this.items.size > ITEMS_KEPT) {
      this.remove(this.#leastNeeded());
    }
  }

  remove(id: string): void {
    const item = this.items.get(id);
    if (item !== undefined && this.items.delete(id)) {
      unindex(this.#byMessage, item.message.id, id);
      unindex(this.#byTask, taskOf(item.message), id);
    }
  }

  /** Puts an item off until then, ISO 8601 UTC; it stays where it is. */
  snooze(id: string, snoozedUntil: string): void {
    const item = this.items.get(id);
    if (item !== undefined) {
      this.items.set(id, { ...item, snoozedUntil });
    }
  }

  /** Takes out what this message settles: the asker has its reply, or the task goes on or is done. */
  settle(message: Message, recipients: readonly string[]): void {
    const { inReplyTo, type } = message;
    for (const id of [...((inReplyTo !== undefined && this.#byMessage.get(inReplyTo)) || [])]) {
      if (recipients.includes(this.items.get(id)?.message.from ?? '')) {
        this.remove(id);
      }
    }
    const task = type === 'WorkAssign' || type === 'WorkComplete' ? taskOf(message) : null;
    for (const id of [...((task !== null && this.#byTask.get(task)) || [])]) {
      this.remove(id);
    }
  }

  /** Questions are settled by an answer alone, and undelivered mail by nobody but a person. */
  #index(id: string, { kind, message }: ItemMoment): void {
    if (kind === 'expired' || kind === 'undeliverable') {
      return;
    }
    index(this.#byMessage, message.id, id);
    if (kind !== 'question') {
      index(this.#byTask, taskOf(message), id);
    }
  }

  /** Mostly the very first one; never all of them are copied for it. */
  #leastNeeded(): string {
    for (const [id, { copy, kind }] of this.items) {
      if (copy || kind === 'expired') {
        return id;
      }
    }
    const [oldest = ''] = this.items.keys();
    return oldest;
  }
}

function index(by: Map<string, Set<string>>, key: string | null, id: string): void {
  if (key !== null) {
    by.set(key, (by.get(key) ?? new Set()).add(id));
  }
}

function unindex(by: Map<string, Set<string>>, key: string | null, id: string): void {
  const ids = key === null ? undefined : by.get(key);
  if (key !== null && ids?.delete(id) === true && ids.size === 0) {
    by.delete(key);
  }
}
