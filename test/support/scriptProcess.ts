import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach } from 'vitest';
import { bundledProgram } from './bundledProgram';

/** A real second process that runs a TypeScript file of the tests and talks in lines. */
export class ScriptProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<void>;
  #errors = '';
  #wake: () => void = () => undefined;
  #over = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        this.#over = true;
        this.#wake();
        resolve();
      });
    });
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        this.#lines.push(line);
        this.#wake();
      });
    }
    child.stderr?.on('data', (data: Buffer) => {
      this.#errors += data.toString();
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** The next line that the process prints; rejects when it ends without one. */
  async line(): Promise<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        return line;
      }
      if (this.#over) {
        throw new Error(`The process ended without another line. ${this.#errors}`);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Ends the process's stdin, which scripts take for "that was all". */
  endInput(): void {
    this.#child.stdin?.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the process as the kernel does it and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }
}

export interface ScriptRun {
  readonly args: readonly string[];
  /** Runs it as this user; needs root. */
  readonly uid?: number;
}

/** Bundles a script once for the file's tests, and ends every process that was started from it behind each test. */
export function useScript(entry: string): (run: ScriptRun) => ScriptProcess {
  const started: ScriptProcess[] = [];
  const program = bundledProgram(entry);
  afterEach(async () => {
    await Promise.all(started.splice(0).map(async (process) => process.kill()));
  });
  return ({ args, uid }) => {
    const script = program.path();
    if (uid !== undefined) {
      // The other user must be able to read the bundle.
      chmodSync(dirname(script), 0o755);
    }
    const child = spawn(process.execPath, [script, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const running = new ScriptProcess(child);
    started.push(running);
    return running;
  };
}
