import type { Socket } from 'node:net';
import { SerialQueue } from '../../core/base/serialQueue';
import { LineBuffer } from '../../core/system/lineBuffer';

export interface AgentConnectionEvents {
  /** The lines of one piece of the stream; null stands for one above 1 MiB. */
  readonly onLines: (lines: readonly (string | null)[]) => void;
  /** Called once, also for a connection that broke. */
  readonly onClose: () => void;
}

/** An agent has one or two; what opens more has lost control, and must not take this process with it. */
export const MAX_CONNECTIONS = 64;

/** How long a last word may take to be read, milliseconds. */
const LAST_WORD_MS = 2000;

/** Above so much that the other side does not read, it is not read from either, bytes. */
const REPLIES_BYTES = 256 * 1024;

/**
 * Linux queues 36,544 bytes of a write to a socket at once and the rest behind them: whoever reads in between gets 704 bytes
 * where it asked for 1,024, and an old agent goes deaf by that. A piece of this size is never cut.
 */
const PIECE_BYTES = process.platform === 'win32' ? Number.POSITIVE_INFINITY : 32 * 1024;

/** One connection of an agent. What it does not read stays out of memory. */
export class AgentConnection {
  readonly #socket: Socket;
  readonly #writes = new SerialQueue();

  constructor(socket: Socket, { onLines, onClose }: AgentConnectionEvents) {
    this.#socket = socket;
    const buffer = new LineBuffer();
    socket.on('data', (piece: Buffer) => {
      onLines(buffer.push(piece));
    });
    socket.on('error', () => {
      // It left in the middle (ECONNRESET, EPIPE); `close` follows.
    });
    socket.on('close', onClose);
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Writes once every earlier write is through; true once the system took it, false when the connection is over. */
  async write(text: string): Promise<boolean> {
    return await this.#writes.run(async () => await this.#writeNow(text));
  }

  /** The same by pieces which the system takes whole or not at all, whenever the other side reads. */
  async writePieces(bytes: Uint8Array): Promise<boolean> {
    return await this.#writes.run(async () => {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        if (!(await this.#writeNow(bytes.subarray(from, from + PIECE_BYTES)))) {
          return false;
        }
      }
      return true;
    });
  }

  /** Writes at once. Whoever does not read these is not listened to until it does. */
  reply(text: string): void {
    if (!this.isOpen) {
      return;
    }
    this.#socket.write(text);
    if (this.#socket.writableLength > REPLIES_BYTES) {
      this.#socket.pause();
      this.#socket.once('drain', () => {
        this.#socket.resume();
      });
    }
  }

  /** Reads nothing more until `resume()`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /**
   * Says a last word and listens no more. Hanging up at once would break off whoever is still writing before it has read
   * that word.
   */
  dismiss(text: string): void {
    this.#socket.pause();
    this.#socket.end(text);
    this.#socket.setTimeout(LAST_WORD_MS, () => {
      this.#socket.destroy();
    });
  }

  /** Ends the connection behind what was written. */
  end(): void {
    this.#socket.destroySoon();
  }

  /** Ends it at once. */
  drop(): void {
    this.#socket.destroy();
  }

  async #writeNow(bytes: Uint8Array | string): Promise<boolean> {
    return await new Promise((resolve) => {
      if (!this.isOpen) {
        resolve(false);
        return;
      }
      this.#socket.write(bytes, (error) => {
        resolve(error === undefined || error === null);
      });
    });
  }
}
