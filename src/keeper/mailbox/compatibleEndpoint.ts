import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { errorCode, errorText } from '../../core/base/errorText';
import { isRecord, readJson } from '../../core/protocol/events/jsonGuards';
import type { MailboxRecord } from '../../core/protocol/keeper/mail';
import type { ProcessIdentity } from '../../core/protocol/keeper/processIdentity';
import { writeFileAtomic } from '../../core/system/atomicFile';
import { readBounded } from '../../core/system/boundedRead';
import { listenLocal, type LocalServer } from '../../core/system/localServer';
import { livenessOf, ownIdentity } from '../../core/system/processIdentity';

export interface CompatibleEndpointOptions {
  readonly agent: string;
  readonly endpoint: string;
  /** The project, for whoever finds the endpoint held. */
  readonly root: string;
  /** Private to this user: who holds which endpoint is written down there. */
  readonly runtimeDir: string;
  readonly accept: (socket: Socket) => void;
}

type Standing = NonNullable<MailboxRecord['compatible']>;

const MAX_NOTE_BYTES = 16 * 1024;

/** The endpoint that all projects of this machine share: whoever is first has it, and the others are told who that is. */
export class CompatibleEndpoint {
  readonly #options: CompatibleEndpointOptions;
  #server: LocalServer | null = null;

  constructor(options: CompatibleEndpointOptions) {
    this.#options = options;
  }

  /** Listens, makes a socket file again that is gone, or says why that cannot be. Never rejects. */
  async ensure(): Promise<Standing> {
    try {
      await this.#server?.ensureListening();
      if (this.#server === null) {
        this.#server = await listenLocal(this.#options.endpoint, this.#options.accept);
        await this.#leaveNote();
      }
      return { endpoint: this.#options.endpoint, state: 'listening', holder: null, trouble: null };
    } catch (error) {
      return await this.#troubleOf(error);
    }
  }

  /** Takes no new connections any more. */
  async close(): Promise<void> {
    this.#server?.close();
    if (this.#server !== null) {
      await rm(this.#notePath, { force: true }).catch(() => {
        // What a note says is believed only while its keeper lives.
      });
    }
  }

  async #troubleOf(error: unknown): Promise<Standing> {
    const { endpoint, agent } = this.#options;
    if (errorCode(error) !== 'EADDRINUSE') {
      const trouble = `Agents of other programs cannot connect as ${agent}: ${errorText(error)}`;
      return { endpoint, state: 'failed', holder: null, trouble };
    }
    const holder = await this.#readHolder();
    const who = holder === null ? 'another program' : `the project ${holder}`;
    const trouble = `The endpoint ${endpoint} is held by ${who}. Stop the agent ${agent} there, or switch the compatible endpoint off; agents with our runtime do not need it.`;
    return { endpoint, state: 'held', holder, trouble };
  }

  get #notePath(): string {
    return join(this.#options.runtimeDir, `ralph-${this.#options.agent}-main.json`);
  }

  async #leaveNote(): Promise<void> {
    const { endpoint, root } = this.#options;
    const note = { endpoint, root, keeper: await ownIdentity() };
    await writeFileAtomic(this.#notePath, `${JSON.stringify(note)}\n`, { mode: 0o600 }).catch(() => {
      // Then others are not told who it is, no more.
    });
  }

  async #readHolder(): Promise<string | null> {
    const file = await readBounded(this.#notePath, MAX_NOTE_BYTES);
    const note = file.kind === 'ok' ? readJson(file.text) : null;
    const { endpoint, root, keeper } = isRecord(note) ? note : {};
    const isOurs = endpoint === this.#options.endpoint && isIdentity(keeper) && (await livenessOf(keeper)) === 'alive';
    return isOurs && typeof root === 'string' ? root : null;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isRecord(value) && typeof value['pid'] === 'number' && typeof value['startTime'] === 'string';
}
