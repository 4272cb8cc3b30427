import type { AcceptedMessage, MailEvents } from '../../core/protocol/keeper/mail';
import type { ControlPeer } from '../../core/system/controlServer';
import type { Spool } from './spool';

/** One event carries about so much, bytes. */
const BATCH_BYTES = 256 * 1024;

type News = {
  [Name in keyof MailEvents]: { readonly name: Name; readonly params: MailEvents[Name] };
}[keyof MailEvents];

/** Tells the process that leads what happens to the mail, one event at a time, as fast as it reads. */
export class LeaderFeed {
  readonly #spool: Spool;
  #peer: ControlPeer | null = null;
  #sent = 0;
  #news: News[] = [];
  #pumping: Promise<void> | null = null;

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** From now on this one is told, and nobody else; first of what the agent sent above `taken`. */
  attach(peer: ControlPeer, taken: number): void {
    this.#peer = peer;
    this.#sent = taken;
    this.#news = [];
    this.wake();
  }

  /** Tells one piece of news; several of the same kind become one while the leader is busy, so that they stay few. */
  tell(news: News): void {
    if (this.#peer === null) {
      return;
    }
    const last = this.#news.at(-1);
    const joined = last === undefined ? null : joinedNews(last, news);
    if (joined !== null) {
      this.#news[this.#news.length - 1] = joined;
    } else if (isReturn(this.#news.slice(-2), news)) {
      this.#news.pop();
    } else {
      this.#news.push(news);
    }
    this.wake();
  }

  /** There is something new in the spool. */
  wake(): void {
    this.#pumping ??= this.#pump();
  }

  /** Resolves once everything was told that there is, or nobody is there to be told. */
  async flush(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    // A turn later, so that what happens in one go becomes one event.
    await Promise.resolve();
    for (let event = this.#next(); event !== null; event = this.#next()) {
      const peer = this.#peer;
      if ((await peer?.tell(event.name, event.params)) === false && this.#peer === peer) {
        this.#peer = null;
      }
    }
    this.#pumping = null;
  }

  #next(): News | null {
    if (this.#peer === null) {
      return null;
    }
    const news = this.#news.shift();
    if (news !== undefined) {
      return news;
    }
    const messages = this.#unsent();
    const last = messages.at(-1);
    if (last === undefined) {
      return null;
    }
    this.#sent = last.number;
    return { name: 'accepted', params: { messages } };
  }

  #unsent(): readonly AcceptedMessage[] {
    try {
      return this.#spool.acceptedAfter(this.#sent, BATCH_BYTES);
    } catch {
      // A disk that cannot be read now: it is asked again when more comes, or when a leader attaches.
      return [];
    }
  }
}

/** Whether the agent comes back before the leader heard that it was gone. */
function isReturn([before, last]: readonly News[], next: News): boolean {
  return before?.name === 'connected' && last?.name === 'disconnected' && next.name === 'connected';
}

function joinedNews(last: News, next: News): News | null {
  if (last.name === 'handed' && next.name === 'handed') {
    const seqs = [...last.params.seqs, ...next.params.seqs];
    return { name: 'handed', params: { seqs, redelivered: [...last.params.redelivered, ...next.params.redelivered] } };
  }
  if (last.name === 'acked' && next.name === 'acked') {
    return { name: 'acked', params: { seqs: [...last.params.seqs, ...next.params.seqs] } };
  }
  return null;
}
