import { fail } from '../../base/result';
import { ensureWorkersDir } from '../../registry/paths';
import type {
  AgentRequest,
  Outcome,
  Refusal,
  SendRequest,
  SessionAccepted,
  SessionApi,
  SessionRequest,
  SnoozeRequest,
} from '../api';
import type { HostContext } from '../hostContext';
import type { SessionOrder } from './sessionOrder';

export interface SessionRequestsOptions {
  readonly host: HostContext;
  /** Has whoever leads carry it out, or leads for this one order. */
  readonly ask: (order: SessionOrder) => Promise<Outcome<SessionAccepted>>;
}

/** What a surface asks about the session; who may not start anything is refused before anything is made. */
export class SessionRequests implements SessionApi {
  readonly #options: SessionRequestsOptions;

  constructor(options: SessionRequestsOptions) {
    this.#options = options;
  }

  async start({ mode, ...request }: Parameters<SessionApi['start']>[0]): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'start', mode: mode ?? null, request });
  }

  async stop({ force, ...request }: SessionRequest & { readonly force: boolean }): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'stop', force, request });
  }

  async startAgent(request: AgentRequest): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'startAgent', request });
  }

  async stopAgent({
    force,
    ...request
  }: AgentRequest & { readonly force: boolean }): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'stopAgent', force, request });
  }

  async listen(request: AgentRequest): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'listen', request });
  }

  async send(request: SendRequest): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'send', request });
  }

  async answer({ item, text, ...request }: Parameters<SessionApi['answer']>[0]): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'answer', item, text, request });
  }

  async dismiss({ item, ...request }: Parameters<SessionApi['dismiss']>[0]): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'dismiss', item, request });
  }

  async snooze({ item, until, ...request }: SnoozeRequest): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'snooze', item, until, request });
  }

  async skipWait(request: AgentRequest): Promise<Outcome<SessionAccepted>> {
    return await this.#ask({ kind: 'skipWait', request });
  }

  /** The lease lies in the workers folder, so whoever leads needs one. */
  async #ask(order: SessionOrder): Promise<Outcome<SessionAccepted>> {
    const { host, ask } = this.#options;
    if (!host.trusted) {
      const message = 'Nothing is started or sent in an untrusted workspace. Trust this workspace first.';
      return fail<Refusal>({ code: 'untrusted', message });
    }
    if (host.refused !== null) {
      return fail<Refusal>({ code: 'unsafe-root', message: host.refused });
    }
    const folder = await ensureWorkersDir(host.workersDir);
    return folder.ok ? await ask(order) : folder;
  }
}
