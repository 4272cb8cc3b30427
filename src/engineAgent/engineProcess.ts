import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../core/base/errorText';
import type { EngineOrder } from '../core/protocol/engines/engineOrder';
import type { EngineCommand } from '../core/protocol/keeper/keeperSpec';

const LOOK_MS = 100;
const PIECE_BYTES = 64 * 1024;

/** How the program ended; `refusal` is the system's code where it never began. */
export interface EngineProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly refusal: string | null;
}

/** One run of an engine's program. It writes into a file, because some programs lose what is in a pipe when they end. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #outputPath: string;
  readonly #interrupt: EngineOrder['interrupt'];
  readonly #ended: Promise<EngineProcessEnd>;
  #isOver = false;

  /** Starts it without a shell, its prompt on stdin. The file is made anew. */
  constructor(command: EngineCommand, { interrupt }: Pick<EngineOrder, 'interrupt'>, outputPath: string) {
    this.#outputPath = outputPath;
    this.#interrupt = interrupt;
    const output = openSync(outputPath, 'w', 0o600);
    this.#child = spawn(command.command, [...command.args], {
      cwd: command.cwd,
      env: { ...command.env },
      // A group of its own only where that is interrupted as a whole: this process must not be in it.
      detached: interrupt.group && process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', output, output],
    });
    closeSync(output);
    // Whoever ends without reading its prompt says so by its exit.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdin?.end(command.stdin ?? '');
    this.#ended = endOf(this.#child).finally(() => {
      this.#isOver = true;
    });
  }

  /** Asks it to end, in its own way. */
  interrupt(): void {
    const { pid } = this.#child;
    const { signal, group } = this.#interrupt;
    if (this.#isOver || pid === undefined) {
      return;
    }
    if (group && process.platform !== 'win32') {
      // Our own child, whose end was not seen yet: nobody else can have its number.
      process.kill(-pid, signal);
    } else {
      this.#child.kill(signal);
    }
  }

  /** Hands over all that it writes, and resolves when it has ended and everything was handed over. */
  async follow(take: (piece: Uint8Array) => Promise<void>): Promise<EngineProcessEnd> {
    const file = await open(this.#outputPath, 'r');
    const piece = Buffer.alloc(PIECE_BYTES);
    try {
      for (;;) {
        const isLast = this.#isOver;
        for (let read = await file.read(piece); read.bytesRead > 0; read = await file.read(piece)) {
          await take(piece.subarray(0, read.bytesRead));
        }
        if (isLast) {
          return await this.#ended;
        }
        await Promise.race([this.#ended, pause(LOOK_MS)]);
      }
    } finally {
      await file.close();
    }
  }
}

async function endOf(child: ChildProcess): Promise<EngineProcessEnd> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return { code, signal, refusal: null };
  } catch (error) {
    return { code: null, signal: null, refusal: errorCode(error) ?? 'unknown' };
  }
}
