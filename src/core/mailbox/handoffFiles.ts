import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, type Result } from '../base/result';
import {
  type CoordinatorState,
  coordinatorStateText,
  type Handoff,
  handoffLogText,
  pendingHandoffText,
} from '../protocol/actors/handoffDocuments';
import { type HandoffSignal, readHandoffSignal } from '../protocol/actors/handoffSignal';
import { writeFileAtomic } from '../system/atomicFile';
import { readBounded } from '../system/boundedRead';

const MAX_BYTES = 4 * 1024 * 1024;
/** Two changes within the resolution of a file system's clock may look like one, milliseconds. */
const CLOCK_SLACK_MS = 2_000;

/** The files by which the agents of a sequential session hand over (actors.md §7). */
export class HandoffFiles {
  readonly #folder: string;
  /** As an agent in the project can open it. */
  readonly #shownFolder: string;

  constructor(folder: string, shownFolder: string) {
    this.#folder = folder;
    this.#shownFolder = shownFolder;
  }

  /**
   * What the agent whose turn it is wants to happen next; null where it wrote nothing. What is older than `since` (epoch
   * milliseconds) belongs to a turn before, and is taken away.
   */
  async signal(since: number): Promise<Result<HandoffSignal, string> | null> {
    const path = this.#path('handoff-signal.json');
    const stat = await lstat(path).catch(() => null);
    if (stat === null) {
      return null;
    }
    if (stat.mtimeMs < since - CLOCK_SLACK_MS) {
      await this.dropSignal();
      return null;
    }
    const file = await readBounded(path, MAX_BYTES);
    return file.kind === 'ok' ? readHandoffSignal(file.text) : fail('cannot be read');
  }

  /** The signal was taken. */
  async dropSignal(): Promise<void> {
    await rm(this.#path('handoff-signal.json'), { force: true });
  }

  /** Writes what the agent whose turn begins has to know, and what happened so far. Rejects with the system's error. */
  async write(handoff: Handoff, state: Omit<CoordinatorState, 'currentTask'>): Promise<void> {
    const before = await this.#text('handoff-log.json');
    await writeFileAtomic(this.#path('pending-handoff.json'), pendingHandoffText(handoff, this.#shownFolder));
    await writeFileAtomic(this.#path('handoff-log.json'), handoffLogText(before, state.sessionId, handoff));
    await this.writeState(state);
  }

  /** Writes `coordinator-state.json`. Rejects with the system's error. */
  async writeState(state: Omit<CoordinatorState, 'currentTask'>): Promise<void> {
    const before = await this.#text('coordinator-state.json');
    const currentTask = await this.#text('current-task.json');
    const text = coordinatorStateText(before, { ...state, currentTask });
    await writeFileAtomic(this.#path('coordinator-state.json'), text);
  }

  /** Nobody waits for a hand-over any more. */
  async dropPending(): Promise<void> {
    await rm(this.#path('pending-handoff.json'), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  async #text(name: string): Promise<string | null> {
    const file = await readBounded(this.#path(name), MAX_BYTES);
    return file.kind === 'ok' ? file.text : null;
  }
}
