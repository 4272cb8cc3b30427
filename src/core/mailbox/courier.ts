import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import { errorCode, errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import type { MailItem } from '../protocol/keeper/mail';

export interface CourierDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Puts mail into the spool of the agent's keeper; rejects where that is not certain. */
  readonly deliver: (agent: string, items: readonly MailItem[]) => Promise<void>;
}

/** What goes to a keeper at once: many small messages, few large ones. */
const BATCH_ITEMS = 256;
const BATCH_LETTERS = 256 * 1024;
/** A spool that is full is asked again, and so is a keeper that gave no answer, milliseconds. */
const RETRY_MS = 250;

/**
 * Carries mail from the log to the keepers of those agents that have one, in order for each of them and side by side: a
 * recipient that is slow or stuck delays nobody else (actors.md §5). What waits for others stays in the log alone.
 */
export class Courier implements Disposable {
  readonly #deps: CourierDeps;
  readonly #outboxes = new Map<string, Outbox>();

  constructor(deps: CourierDeps) {
    this.#deps = deps;
  }

  /** The line to its keeper stands; `waiting` is all that its spool does not hold yet, oldest first. */
  open(agent: string, waiting: readonly MailItem[]): void {
    this.close(agent);
    const outbox = new Outbox(agent, this.#deps);
    this.#outboxes.set(agent, outbox);
    outbox.push(waiting);
  }

  /** Mail that is in the log by now. For an agent without a line to its keeper this does nothing. */
  push(agent: string, item: MailItem): void {
    this.#outboxes.get(agent)?.push([item]);
  }

  /** Mail that is not to be carried any more. */
  forget(agent: string, seqs: ReadonlySet<number>): void {
    this.#outboxes.get(agent)?.forget(seqs);
  }

  close(agent: string): void {
    this.#outboxes.get(agent)?.dispose();
    this.#outboxes.delete(agent);
  }

  /** Resolves when everything that can be carried now was carried. */
  async idle(): Promise<void> {
    await Promise.all([...this.#outboxes.values()].map(async (outbox) => outbox.idle()));
  }

  dispose(): void {
    for (const agent of [...this.#outboxes.keys()]) {
      this.close(agent);
    }
  }
}

class Outbox implements Disposable {
  readonly #agent: string;
  readonly #deps: CourierDeps;
  #queue: MailItem[] = [];
  #carrying: Promise<void> | null = null;
  #retry: Disposable | null = null;
  #closed = false;

  constructor(agent: string, deps: CourierDeps) {
    this.#agent = agent;
    this.#deps = deps;
  }

  push(items: readonly MailItem[]): void {
    for (const item of items) {
      this.#queue.push(item);
    }
    this.#wake();
  }

  forget(seqs: ReadonlySet<number>): void {
    this.#queue = this.#queue.filter(({ seq }) => !seqs.has(seq));
  }

  async idle(): Promise<void> {
    await this.#carrying;
  }

  dispose(): void {
    this.#closed = true;
    this.#retry?.dispose();
  }

  #wake(): void {
    if (this.#carrying === null && this.#retry === null && this.#queue.length > 0 && !this.#closed) {
      this.#carrying = this.#carry().finally(() => {
        this.#carrying = null;
        this.#wake();
      });
    }
  }

  async #carry(): Promise<void> {
    while (this.#queue.length > 0 && !this.#closed) {
      const batch = nextBatch(this.#queue);
      try {
        await this.#deps.deliver(this.#agent, batch);
        const gone = new Set(batch.map(({ seq }) => seq));
        this.#queue = this.#queue.filter(({ seq }) => !gone.has(seq));
      } catch (error) {
        this.#later(error);
        return;
      }
    }
  }

  /** The keeper doubles nothing, so what may have arrived can go once more. */
  #later(error: unknown): void {
    if (errorCode(error) !== 'full' && !this.#closed) {
      this.#deps.logger.debug('mail waits for a keeper', { agent: this.#agent, reason: errorText(error) });
    }
    this.#retry = this.#deps.clock.schedule(RETRY_MS, () => {
      this.#retry = null;
      this.#wake();
    });
  }
}

/** The oldest mail, at least one item. */
function nextBatch(queue: readonly MailItem[]): readonly MailItem[] {
  const batch: MailItem[] = [];
  let letters = 0;
  for (const item of queue) {
    letters += JSON.stringify(item).length;
    if (batch.length > 0 && (batch.length === BATCH_ITEMS || letters > BATCH_LETTERS)) {
      return batch;
    }
    batch.push(item);
  }
  return batch;
}
