import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import type { ControlEvent } from '../../core/protocol/keeper/control';
import type { AcceptedMessage, MailEvents } from '../../core/protocol/keeper/mail';
import type { ControlPeer } from '../../core/system/controlServer';
import type { Spool } from './spool';

/** One event carries about so much, bytes. */
const BATCH_BYTES = 256 * 1024;
/** What became of mail nobody waits for: it goes with the next message of the agent, or after so long, milliseconds. */
const SOON_MS = 10;

type News = {
  [Name in keyof MailEvents]: { readonly name: Name; readonly params: MailEvents[Name] };
}[keyof MailEvents];

/** Tells the process that leads what happens to the mail, as fast as it reads; what comes together is one write. */
export class LeaderFeed {
  readonly #spool: Spool;
  readonly #clock: Clock;
  #peer: ControlPeer | null = null;
  #sent = 0;
  #news: News[] = [];
  #pumping: Promise<void> | null = null;
  #soon: Disposable | null = null;

  constructor(spool: Spool, clock: Clock) {
    this.#spool = spool;
    this.#clock = clock;
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
    if (news.name === 'handed' || news.name === 'acked') {
      this.#soon ??= this.#clock.schedule(SOON_MS, () => {
        this.wake();
      });
    } else {
      this.wake();
    }
  }

  /** There is something new in the spool. */
  wake(): void {
    this.#pumping ??= this.#pump();
  }

  /** Resolves once everything was told that there is, or nobody is there to be told. */
  async flush(): Promise<void> {
    this.wake();
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    // A turn later, so that what happens in one go becomes one write.
    await Promise.resolve();
    for (let events = this.#next(); events.length > 0; events = this.#next()) {
      const peer = this.#peer;
      if ((await peer?.tell(events)) === false && this.#peer === peer) {
        this.#peer = null;
      }
    }
    this.#pumping = null;
  }

  /** All news, and of what the agent sent as much as goes at once. */
  #next(): readonly ControlEvent[] {
    this.#soon?.dispose();
    this.#soon = null;
    if (this.#peer === null) {
      return [];
    }
    const events = this.#news.splice(0).map(({ name, params }) => ({ event: name, params }));
    const messages = this.#unsent();
    const last = messages.at(-1);
    if (last === undefined) {
      return events;
    }
    this.#sent = last.number;
    return [...events, { event: 'accepted', params: { messages } }];
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
