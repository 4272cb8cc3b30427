import { newMessageId } from '../core/protocol/actors/messageId';
import { type MailLine, runtimeVariables, type RuntimeHello } from '../core/protocol/actors/privateWire';
import { compatibleEndpointOf } from '../core/system/agentEndpoint';
import { randomHex } from '../core/system/randomHex';
import type { Agent, AgentMessage, MessageHandler, OutgoingMessage, ProblemReport } from './agent';
import type { AgentError } from './agentError';
import { CursorFile } from './cursorFile';
import { KeeperLink } from './keeperLink';

/** An agent over the private endpoint where the environment names one, else over that of existing agents. */
export class SessionAgent implements Agent {
  readonly name: string;
  readonly sessionDir: string;
  readonly #link: KeeperLink;
  readonly #cursor: CursorFile;
  readonly #isPrivate: boolean;
  readonly #onShutdown: () => void;
  readonly #waiting: MailLine[] = [];
  /** Every message that this process got, by its number: whether it was handled. */
  readonly #handled = new Map<number, boolean>();
  readonly #begun = new Set<MailLine>();
  #pulled: MailLine | null = null;
  #end: AgentError | null = null;
  #wake: () => void = () => undefined;
  /** Types that were sent since the newest message was begun. */
  #sentTypes: string[] = [];

  /** `onShutdown` is called as soon as a shutdown arrives, also while a handler works: the loop hears of it only behind that. */
  constructor(name: string, sessionDir: string, env: NodeJS.ProcessEnv, onShutdown: () => void = () => undefined) {
    const privateEndpoint = env[runtimeVariables.endpoint];
    this.name = name;
    this.sessionDir = sessionDir;
    this.#onShutdown = onShutdown;
    this.#isPrivate = privateEndpoint !== undefined;
    this.#cursor = new CursorFile(env[runtimeVariables.cursor]);
    const run = randomHex(8);
    const token = env[runtimeVariables.token] ?? '';
    this.#link = new KeeperLink({
      agent: name,
      endpoint: privateEndpoint ?? compatibleEndpointOf(name, tempDirOf(env)),
      greeting: () =>
        this.#isPrivate
          ? ({ hello: 1, token, run, cursor: this.#cursor.value } satisfies RuntimeHello)
          : this.#envelope({ to: 'watchdog', type: 'AgentStatus', payload: { status: 'ready' } }),
      confirms: this.#isPrivate,
      onMail: (mail) => {
        this.#receive(mail);
      },
      onEnd: (error) => {
        this.#end = error;
        this.#wake();
      },
    });
    // A handler may end the process with a code that is no failure: then it is done with its message.
    process.once('exit', (code) => {
      this.#link.flush();
      if (code === 0 || code === 42) {
        this.#begun.forEach((mail) => void this.#finish(mail));
      }
    });
  }

  async connect(timeoutMs: number): Promise<void> {
    await this.#link.open(timeoutMs);
    if (this.#isPrivate) {
      await this.sendAgentStatus({ status: 'ready' });
    }
  }

  async enterAgentLoop(handler: MessageHandler): Promise<never> {
    return await this.runLoop(handler, () => false);
  }

  /** Ends the process with 0 behind a handler that has sent a type which `isLast`. */
  async runLoop(handler: MessageHandler, isLast: (type: string) => boolean): Promise<never> {
    for (;;) {
      const mail = await this.#begin(null);
      if (mail !== null) {
        await handler(mail, this);
        await this.#finishPulled();
        await this.#finish(mail);
        if (isShutdown(mail)) {
          process.exit(42);
        }
        if (this.#sentTypes.some(isLast)) {
          process.exit(0);
        }
      }
    }
  }

  async receiveMessage(timeoutMs?: number): Promise<AgentMessage | null> {
    await this.#finishPulled();
    this.#pulled = await this.#begin(timeoutMs ?? null);
    return this.#pulled;
  }

  async sendMessage(message: OutgoingMessage): Promise<string> {
    const envelope = this.#envelope(message);
    await this.#link.send(envelope);
    this.#sentTypes.push(message.type);
    if (message.type !== 'AgentStatus') {
      await this.#finishPulled();
    }
    return envelope.id;
  }

  async sendWorkComplete(work: { taskId: string; result?: string; notes?: string }): Promise<string> {
    const payload = { result: 'success', notes: '', ...work };
    return await this.sendMessage({ to: 'pm', type: 'WorkComplete', payload });
  }

  async sendWorkBlocked(work: { taskId: string; reason: string }): Promise<string> {
    return await this.sendMessage({ to: 'pm', type: 'WorkBlocked', payload: work });
  }

  async sendProblemReport(report: ProblemReport): Promise<string> {
    const payload = { taskId: '', problemType: 'bug', severity: 'medium', ...report };
    return await this.sendMessage({ to: 'pm', type: 'ProblemReport', payload });
  }

  async sendAgentStatus(status: { status: string; currentTask?: string; notes?: string }): Promise<string> {
    return await this.sendMessage({ to: 'watchdog', type: 'AgentStatus', payload: status });
  }

  #envelope({ to, type, payload = {}, inReplyTo }: OutgoingMessage): AgentMessage {
    const now = Date.now();
    return {
      id: newMessageId(now, randomHex),
      type,
      from: this.name,
      to,
      timestamp: new Date(now).toISOString(),
      payload,
      ...(inReplyTo === undefined ? {} : { inReplyTo }),
    };
  }

  #receive(mail: MailLine): void {
    if (this.#isPrivate && mail.seq > 0) {
      const handled = this.#handled.get(mail.seq);
      if (handled === true) {
        // It came again over a new connection: only what we said about it can have been lost.
        void this.#link.acknowledge(mail.seq);
      }
      if (handled !== undefined) {
        return;
      }
      this.#handled.set(mail.seq, false);
    }
    if (isShutdown(mail)) {
      // Work that waits behind it is for the next process.
      this.#waiting.unshift(mail);
      this.#onShutdown();
    } else {
      this.#waiting.push(mail);
    }
    this.#wake();
  }

  async #begin(timeoutMs: number | null): Promise<MailLine | null> {
    if (this.#waiting.length === 0) {
      await this.#wakened(timeoutMs);
    }
    const mail = this.#waiting.shift() ?? null;
    if (mail !== null) {
      this.#sentTypes = [];
      this.#begun.add(mail);
      if (this.#isPrivate) {
        this.#cursor.advance(mail.seq);
      }
    }
    return mail;
  }

  async #wakened(timeoutMs: number | null): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = timeoutMs === null ? undefined : setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        if (this.#end === null) {
          resolve();
        } else {
          reject(this.#end);
        }
      };
      if (this.#end !== null) {
        this.#wake();
      }
    });
  }

  async #finishPulled(): Promise<void> {
    const mail = this.#pulled;
    this.#pulled = null;
    if (mail !== null) {
      await this.#finish(mail);
    }
  }

  async #finish(mail: MailLine): Promise<void> {
    this.#begun.delete(mail);
    if (this.#isPrivate && mail.seq > 0) {
      this.#handled.set(mail.seq, true);
      await this.#link.acknowledge(mail.seq);
    }
  }
}

function isShutdown({ type, payload }: AgentMessage): boolean {
  return type.toLowerCase() === 'system' && payload['systemEvent'] === 'shutdown';
}

/** The folder in which .NET, and so every existing agent, looks for pipes. */
function tempDirOf(env: NodeJS.ProcessEnv): string {
  const folder = env['TMPDIR'] ?? '';
  return folder === '' ? '/tmp' : folder;
}
