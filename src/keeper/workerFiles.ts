import { existsSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../core/base/clock';
import type { ExitEvidence } from '../core/protocol/keeper/exitClass';
import type { ExitRecord } from '../core/protocol/keeper/exitRecord';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { formatStatusDocument } from '../core/protocol/workers/formatStatusDocument';
import { parseLooseJson } from '../core/protocol/workers/looseJson';
import { plainRecord } from '../core/protocol/workers/plainRecord';
import type { Progress, StatusWord } from '../core/protocol/workers/registryEntry';
import { STATUS_MAX_BYTES } from '../core/protocol/workers/sizeLimits';
import { isTerminal } from '../core/protocol/workers/statusWord';
import { statusWordOf } from '../core/protocol/workers/statusWordOf';
import { formatTimestamp } from '../core/protocol/workers/timestamp';
import { createExclusive, writeFileAtomic } from '../core/system/atomicFile';
import { readBounded } from '../core/system/boundedRead';
import { lastLinesOf } from './lastLinesOf';
import type { EndEvidence, ExitVerdict, Paperwork } from './paperwork';

/** What kind of end the evidence is. */
export type JudgeExit = (evidence: ExitEvidence) => ExitVerdict | Promise<ExitVerdict>;

/** What the worker itself left in its status.json. */
interface WorkerWord {
  /** Its status when that is a terminal one, else null. */
  readonly terminal: StatusWord | null;
  readonly progress: Progress | null;
}

/** The worker's own files, as far as the keeper writes them: before the start and after the end (workers.md §1). */
export class WorkerFiles implements Paperwork {
  readonly methods = {};
  readonly moreEnv = {};
  readonly #spec: KeeperSpec;
  readonly #clock: Clock;
  readonly #judge: JudgeExit;

  /** `judge` says what kind of end the evidence is. */
  constructor(spec: KeeperSpec, clock: Clock, judge: JudgeExit) {
    this.#spec = spec;
    this.#clock = clock;
    this.#judge = judge;
  }

  get logFile(): string {
    return this.#path('worker.log');
  }

  async open(): Promise<void> {
    // Nothing of a worker's is open while it runs.
  }

  instead(): null {
    return null;
  }

  watch(): void {
    // A worker has nobody to connect to.
  }

  async close(): Promise<void> {
    // Nothing of a worker's was open.
  }

  /** status.json `running`, unless one is there: a worker that is started once more goes on where it was. */
  async begin(): Promise<void> {
    if (existsSync(this.#path('status.json'))) {
      return;
    }
    await this.#writeStatus('running', { terminal: null, progress: null }, null);
  }

  /**
   * Makes the folder and the status.json of a living worker again that somebody deleted, so that it can be seen and
   * stopped. Not where more than this folder is gone, because the project may have moved. Rejects when the disk refuses.
   */
  async mend(): Promise<void> {
    const { folder } = this.#spec;
    if (!existsSync(this.#path('status.json')) && existsSync(dirname(folder))) {
      await mkdir(join(folder, 'output'), { recursive: true });
      await this.begin();
    }
  }

  /** Raises the empty flag, which stays as it is when it is there already. */
  async askToStop(): Promise<void> {
    try {
      await createExclusive(this.#path('stop-requested'), '');
    } catch {
      // No flag on a full disk or in a deleted folder: the ladder's signals follow all the same.
    }
  }

  async #readWord(): Promise<WorkerWord> {
    const file = await readBounded(this.#path('status.json'), STATUS_MAX_BYTES);
    if (file.kind !== 'ok') {
      return { terminal: null, progress: null };
    }
    const word = statusWordOf(file.text);
    return { terminal: word !== null && isTerminal(word) ? word : null, progress: progressIn(file.text) };
  }

  async judge(evidence: EndEvidence): Promise<ExitVerdict> {
    return await this.#judge({ ...evidence, terminalWord: (await this.#readWord()).terminal });
  }

  /** Whether anybody asked for a stop in the protocol's way; the one who did need not have told the keeper. */
  async isStopAsked(): Promise<boolean> {
    return await lstat(this.#path('stop-requested')).then(
      () => true,
      () => false,
    );
  }

  /** Writes what the worker left out: the terminal status, and an error.log when it failed. Rejects on a disk error. */
  async writeEnd(exit: ExitRecord, error: string): Promise<void> {
    const word = await this.#readWord();
    const status = word.terminal ?? statusOf(exit);
    if (status === null || isToGoOn(exit)) {
      return;
    }
    if (word.terminal === null) {
      await this.#writeStatus(status, word, status === 'failed' ? error : null);
    }
    if (status === 'failed') {
      await this.#writeErrorLog(error);
    }
  }

  lastLines(): string {
    return lastLinesOf(this.logFile);
  }

  async #writeErrorLog(error: string): Promise<void> {
    const head = `${formatTimestamp(this.#clock.now())} ${this.#spec.workerId}: ${error}`;
    const tail = this.lastLines();
    await createExclusive(
      this.#path('error.log'),
      tail === '' ? `${head}\n` : `${head}\n\nLast lines of its log:\n${tail}\n`,
    );
  }

  async #writeStatus(status: StatusWord, word: WorkerWord, error: string | null): Promise<void> {
    const text = formatStatusDocument({
      worker_id: this.#spec.workerId,
      type: this.#spec.type,
      status,
      started_at: this.#spec.startedAt,
      completed_at: isTerminal(status) ? formatTimestamp(this.#clock.now()) : null,
      progress: word.progress ?? { phase: null, items_processed: 0, total_items: null },
      error,
    });
    await writeFileAtomic(this.#path('status.json'), text);
  }

  #path(name: string): string {
    return join(this.#spec.folder, name);
  }
}

/** Whoever leads starts it once more in this folder, so that its last word is still to come. */
function isToGoOn({ class: exitClass, transient }: ExitRecord): boolean {
  return exitClass === 'rate limited' || (exitClass === 'never started' && transient === true);
}

/** The word for an end; null where nobody saw how it ended, because `failed` is never invented (workers.md §4.6). */
function statusOf(exit: ExitRecord): StatusWord | null {
  if (exit.class === 'unknown exit') {
    return null;
  }
  if (exit.class === 'asked to stop') {
    return 'stopped';
  }
  return exit.class === 'done' ? 'completed' : 'failed';
}

function progressIn(text: string): Progress | null {
  const parsed = parseLooseJson(text);
  const progress = parsed.ok ? plainRecord(plainRecord(parsed.value)?.['progress']) : null;
  if (progress === null) {
    return null;
  }
  const { phase, items_processed, total_items } = progress;
  return {
    phase: typeof phase === 'string' ? phase : null,
    items_processed: typeof items_processed === 'number' ? items_processed : 0,
    total_items: typeof total_items === 'number' ? total_items : null,
  };
}
