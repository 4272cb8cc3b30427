import { join } from 'node:path';
import type { Clock } from '../core/base/clock';
import { formatStatusDocument } from '../core/protocol/workers/formatStatusDocument';
import { parseLooseJson } from '../core/protocol/workers/looseJson';
import { plainRecord } from '../core/protocol/workers/plainRecord';
import type { Progress, StatusWord } from '../core/protocol/workers/registryEntry';
import { STATUS_MAX_BYTES } from '../core/protocol/workers/sizeLimits';
import { formatTimestamp, parseTimestamp } from '../core/protocol/workers/timestamp';
import { writeFileAtomic } from '../core/system/atomicFile';
import { readBounded } from '../core/system/boundedRead';
import type { WorkerOrder } from './workerOrder';

/** This worker's own `status.json` (workers.md §1), replaced as a whole by every write. */
export class StatusFile {
  readonly #path: string;
  readonly #order: WorkerOrder;
  readonly #clock: Clock;
  readonly #startedAt: string;
  #progress: Progress = { phase: 'initializing', items_processed: 0, total_items: null };

  private constructor(order: WorkerOrder, clock: Clock, startedAt: string) {
    this.#path = statusPath(order);
    this.#order = order;
    this.#clock = clock;
    this.#startedAt = startedAt;
  }

  /** Takes over the start time that the keeper wrote just before the spawn, so that all records agree on it. */
  static async open(order: WorkerOrder, clock: Clock): Promise<StatusFile> {
    const earlier = await readBounded(statusPath(order), STATUS_MAX_BYTES);
    const startedAt = earlier.kind === 'ok' ? startedAtOf(earlier.text) : null;
    return new StatusFile(order, clock, formatTimestamp(startedAt ?? clock.now()));
  }

  /** Reports where the work stands. */
  async running(progress: Progress): Promise<void> {
    this.#progress = progress;
    await this.#write('running', null);
  }

  /** The last word. Keeps the progress that was reached, unless the work is complete. */
  async end(word: 'completed' | 'failed' | 'stopped', error: string | null = null): Promise<void> {
    this.#progress = { ...this.#progress, phase: word === 'failed' ? this.#progress.phase : word };
    await this.#write(word, error);
  }

  async #write(status: StatusWord, error: string | null): Promise<void> {
    const text = formatStatusDocument({
      worker_id: this.#order.workerId,
      type: this.#order.type,
      status,
      started_at: this.#startedAt,
      completed_at: status === 'running' ? null : formatTimestamp(this.#clock.now()),
      progress: this.#progress,
      error,
    });
    await writeFileAtomic(this.#path, text);
  }
}

function statusPath(order: WorkerOrder): string {
  return join(order.folder, 'status.json');
}

function startedAtOf(text: string): number | null {
  const parsed = parseLooseJson(text);
  const startedAt = parsed.ok ? plainRecord(parsed.value)?.['started_at'] : null;
  return typeof startedAt === 'string' ? parseTimestamp(startedAt) : null;
}
