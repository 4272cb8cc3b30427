import { lstat } from 'node:fs/promises';
import { errorText } from '../../base/errorText';
import { fail } from '../../base/result';
import { SerialQueue } from '../../base/serialQueue';
import { ensureSessionDir, resolveSessionDir } from '../../mailbox/sessionPaths';
import type { Lease } from '../../registry/lease';
import type { Outcome, Refusal, SessionAccepted } from '../api';
import type { HostContext } from '../hostContext';
import { LedSession } from './ledSession';
import type { SentSessionOrder } from './sessionOrder';

export interface SessionDeskOptions {
  readonly host: HostContext;
  readonly lease: Pick<Lease, 'verify'>;
  readonly onChange: () => void;
}

/** The session in the hands of the process that leads; nothing while another leads, or where there is no session folder. */
export class SessionDesk {
  readonly #options: SessionDeskOptions;
  readonly #changes = new SerialQueue();
  #led: { readonly epoch: number; readonly session: LedSession } | null = null;
  #beginning: Promise<void> = Promise.resolve();

  constructor(options: SessionDeskOptions) {
    this.#options = options;
  }

  /** Leads the session that is there; makes nothing. What is adopted goes on by itself. */
  async lead(epoch: number): Promise<void> {
    const { logger } = this.#options.host;
    await this.#changes.run(async () => {
      const opened = await this.#open(epoch, { create: false });
      if (opened !== null && !opened.ok) {
        logger.warn(opened.error.message);
      }
    });
  }

  /** Carries an order out under the lease of this epoch. */
  async perform({ order, env }: SentSessionOrder, epoch: number): Promise<Outcome<SessionAccepted>> {
    const opened = await this.#changes.run(async () => this.#open(epoch, { create: true }));
    if (opened === null || !opened.ok) {
      return opened ?? fail<Refusal>({ code: 'failed', message: 'There is no session here.' });
    }
    // What runs already must be known before anything is started beside it.
    await this.#beginning;
    return await opened.value.perform(order, env);
  }

  /** Another process leads, or nobody: everything is let go of. */
  release(): void {
    this.#led?.session.dispose();
    this.#led = null;
  }

  /** Resolves when what came in is safe and what can be carried was carried. */
  async settle(): Promise<void> {
    await this.#beginning;
    await this.#led?.session.settle();
  }

  async #open(epoch: number, { create }: { readonly create: boolean }): Promise<Outcome<LedSession> | null> {
    const { host } = this.#options;
    if (!host.trusted) {
      return fail<Refusal>({
        code: 'untrusted',
        message: 'Nothing is started in an untrusted workspace. Trust this workspace first.',
      });
    }
    const { config } = await host.types.loadConfig();
    if (this.#led?.epoch === epoch) {
      this.#led.session.configure(config);
      return { ok: true, value: this.#led.session };
    }
    this.release();
    const paths = await resolveSessionDir(host.root, config.session.dir);
    if (!paths.ok) {
      return fail<Refusal>({ code: 'unsafe-root', message: paths.error });
    }
    const exists = (await lstat(paths.value.folder).catch(() => null)) !== null;
    if (!exists && !create) {
      return null;
    }
    const made = await ensureSessionDir(host.root, paths.value, []);
    if (!made.ok) {
      return fail<Refusal>({ code: 'read-only', message: made.error });
    }
    return await this.#begin({ ...this.#options, config, paths: paths.value, epoch });
  }

  async #begin(options: Parameters<typeof LedSession.open>[0]): Promise<Outcome<LedSession>> {
    const { logger } = this.#options.host;
    try {
      const session = await LedSession.open(options);
      this.#led = { epoch: options.epoch, session };
      this.#beginning = session.begin().catch((error: unknown) => {
        logger.error('The agents of the session were not adopted.', { reason: errorText(error) });
      });
      return { ok: true, value: session };
    } catch (error) {
      const message = `The session's log cannot be read: ${errorText(error)}. Check ${options.paths.folder}.`;
      return fail<Refusal>({ code: 'failed', message });
    }
  }
}
