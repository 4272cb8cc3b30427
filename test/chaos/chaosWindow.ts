import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const LIBRARIES = '/usr/lib';

/** What a window or terminal answered, as far as the suite holds the product to it. */
export interface ChaosAnswers {
  started(workerId: string): void;
  stopped(workerId: string): void;
}

export interface ChaosWindowOptions {
  readonly programs: string;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** A file of its own that moves its clock. */
  readonly clockFile: string;
  /** As few descriptors as this, or null for as many as usual. */
  readonly descriptors: number | null;
  readonly answers: ChaosAnswers;
}

/** A window without VS Code in a process of its own: it watches, wants to lead, and can be told to start and stop. */
export class ChaosWindow {
  readonly #child: ChildProcess;
  readonly #clockFile: string;
  readonly isPoor: boolean;
  #over = false;

  constructor(options: ChaosWindowOptions) {
    const { programs, root, env, clockFile, descriptors, answers } = options;
    this.#clockFile = clockFile;
    this.isPoor = descriptors !== null;
    writeFileSync(clockFile, '+0');
    const node = [process.execPath, join(programs, 'window.js'), root, join(programs, 'dist')];
    const limited = ['-c', `ulimit -n ${descriptors ?? 0}; exec "$@"`, 'sh', ...node];
    const [command = '', ...args] = descriptors === null ? node : ['sh', ...limited];
    const child = spawn(command, args, {
      env: { ...env, ...fakeClock(clockFile) },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    child.once('close', () => {
      this.#over = true;
    });
    child.stdin.on('error', () => {
      // It was killed with a request on its way.
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      hear(line, answers);
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get isOpen(): boolean {
    return !this.#over;
  }

  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Its clock shows the real time plus this, e.g. `+8h`; every timer goes on as before. */
  moveClock(offset: string): void {
    writeFileSync(this.#clockFile, offset);
  }
}

function fakeClock(clockFile: string): NodeJS.ProcessEnv {
  const folders = readdirSync(LIBRARIES).filter((name) => name.endsWith('-linux-gnu'));
  const library = folders
    .map((name) => join(LIBRARIES, name, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
  if (library === undefined) {
    throw new Error('libfaketime is missing. Run `node scripts/setupSystem.mjs clock` and try again.');
  }
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: '1',
    // Only the time of day jumps; timers go on, as they do on a real machine.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}

function hear(line: string, answers: ChaosAnswers): void {
  const { outcome } = JSON.parse(line) as { outcome?: { ok: boolean; value?: Readonly<Record<string, unknown>> } };
  const workerId = outcome?.value?.['workerId'];
  if (outcome?.ok !== true || typeof workerId !== 'string') {
    return;
  }
  if (outcome.value?.['outputDir'] === undefined) {
    answers.stopped(workerId);
  } else {
    answers.started(workerId);
  }
}
