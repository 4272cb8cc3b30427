import { connect, type Socket } from 'node:net';
import { systemClock, type Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/emitter';
import { errorText } from '../base/errorText';
import type { ControlEvent, ControlFault, ControlRequest, Hello } from '../protocol/keeper/control';
import { ControlError, MAX_CONTROL_BYTES, parseMessage, readFault } from './controlMessage';
import { LineBuffer } from './lineBuffer';

export interface ControlClientOptions {
  /** As written in `keeper.json` or the lease. */
  readonly endpoint: string;
  readonly nonce: string;
  /** Epoch of the own lease; 0 to only look. */
  readonly epoch: number;
  /** How long the hello and each request may take, milliseconds; default 5000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

export interface ControlClient extends Disposable {
  /**
   * The answer to one request. Rejects with a `ControlError`: the other side's own fault, `closed`, or `timeout` when
   * it does not answer in time (it may be frozen).
   */
  request(method: string, params: unknown): Promise<unknown>;
  readonly onEvent: Event<ControlEvent>;
  /** Fires once when the connection ends, also after `dispose()`. */
  readonly onClose: Event<null>;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Disposable;
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Opens a control pipe and says hello. Rejects with a `ControlError`: `no-answer`, `timeout`, or the server's refusal. */
export async function connectControl(options: ControlClientOptions): Promise<ControlClient> {
  const client = new PipeClient(connect(options.endpoint), options);
  try {
    await client.hello({ v: 1, nonce: options.nonce, epoch: options.epoch });
    return client;
  } catch (error) {
    client.dispose();
    throw error;
  }
}

class PipeClient implements ControlClient {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending>();
  readonly #events: Emitter<ControlEvent>;
  readonly #closed: Emitter<null>;
  readonly #buffer = new LineBuffer(MAX_CONTROL_BYTES);
  #lastId = 0;
  #end: ControlError | null = null;

  constructor(socket: Socket, options: ControlClientOptions) {
    this.#socket = socket;
    this.#clock = options.clock ?? systemClock();
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    // A throwing listener must not be lost: it is a defect, so it surfaces as one.
    const rethrow = (error: unknown): void => {
      queueMicrotask(() => {
        throw error;
      });
    };
    this.#events = new Emitter(rethrow);
    this.#closed = new Emitter(rethrow);
    socket.on('data', (piece: Buffer) => {
      this.#receive(piece);
    });
    socket.on('error', (error) => {
      this.#fail({ code: 'no-answer', message: `The control pipe does not answer: ${errorText(error)}` });
    });
    socket.on('close', () => {
      this.#fail({ code: 'closed', message: 'The other side closed the control pipe.' });
      this.#closed.fire(null);
    });
  }

  get onEvent(): Event<ControlEvent> {
    return this.#events.event;
  }

  get onClose(): Event<null> {
    return this.#closed.event;
  }

  async hello(message: Hello): Promise<unknown> {
    return await this.#ask(0, message);
  }

  async request(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    return await this.#ask(this.#lastId, { id: this.#lastId, method, params });
  }

  dispose(): void {
    this.#fail({ code: 'closed', message: 'This side closed the control pipe.' });
    this.#socket.destroy();
  }

  async #ask(id: number, message: Hello | ControlRequest): Promise<unknown> {
    if (this.#end !== null) {
      throw this.#end;
    }
    return await new Promise((resolve, reject) => {
      const timer = this.#clock.schedule(this.#timeoutMs, () => {
        this.#pending.delete(id);
        reject(new ControlError({ code: 'timeout', message: 'The other side of the control pipe gives no answer.' }));
      });
      this.#pending.set(id, { resolve, reject, timer });
      this.#socket.write(`${JSON.stringify(message)}\n`);
    });
  }

  #receive(piece: Buffer): void {
    for (const line of this.#buffer.push(piece)) {
      if (line === null) {
        this.#fail({ code: 'too-long', message: 'The other side sent a line longer than 4 MiB.' });
        this.#socket.destroy();
        return;
      }
      this.#hear(parseMessage(line) ?? {});
    }
  }

  #hear(message: Readonly<Record<string, unknown>>): void {
    const { id, event, params, result, error } = message;
    if (typeof event === 'string') {
      this.#events.fire({ event, params });
      return;
    }
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined) {
      return;
    }
    this.#pending.delete(Number(id));
    pending.timer.dispose();
    const fault = readFault(error);
    if (fault === null) {
      pending.resolve(result);
    } else {
      pending.reject(new ControlError(fault));
    }
  }

  #fail(fault: ControlFault): void {
    this.#end ??= new ControlError(fault);
    for (const { reject, timer } of this.#pending.values()) {
      timer.dispose();
      reject(this.#end);
    }
    this.#pending.clear();
  }
}
