import { lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../base/clock';
import { fail, ok, type Result } from '../base/result';
import { SerialQueue } from '../base/serialQueue';
import { readRecord } from '../protocol/features/jsonFields';
import type { RunRefusal } from '../protocol/features/writing/runRefusal';
import { openState, type OpenState, stateRefusal } from '../protocol/features/writing/stateText';
import { naiveLocalTime } from '../protocol/features/writing/writtenTime';
import type { Zone } from '../protocol/features/zone';
import { writeFileAtomic } from '../system/atomicFile';
import { readBounded } from '../system/boundedRead';
import { removeDeadTemps } from '../system/deadTemps';
import { type FlockFailure, withFlock } from '../system/flock';
import { confinedPath } from '../system/safePath';
import { refusalOf } from './registryRefusal';

export interface StateUpdatesOptions {
  readonly root: string;
  readonly clock: Clock;
  /** Of the naive times in a state. */
  readonly zone: Zone;
  /** Folders to find `flock` in, as in PATH. */
  readonly searchPath: string;
}

/** What a state's text becomes, or why it must not. It runs under the lock; `folder` is where the state lies. */
export type StateChange = (state: OpenState, folder: string) => Promise<Result<string, string>>;

type Updated = Result<null, RunRefusal>;

interface WaitingChange {
  readonly change: StateChange;
  readonly resolve: (updated: Updated) => void;
}

/** Where states lie, below the root. */
export const STATE_FOLDER = '.zerg/state';

const STATE_MAX_BYTES = 64 * 1024 * 1024;
const LOCK_WAIT_MS = 10_000;

/**
 * Changes the states of a project's feature runs under the `flock` that the runs' own program takes, each from what the
 * file says then, and replaces the file at once; the text before goes to `.json.bak`. Changes that wait together share
 * one turn of the lock and one write.
 */
export class StateUpdates {
  readonly #options: StateUpdatesOptions;
  readonly #turns = new SerialQueue();
  readonly #waiting = new Map<string, WaitingChange[]>();
  #isSwept = false;

  constructor(options: StateUpdatesOptions) {
    this.#options = options;
  }

  /** `feature` must be the name of a file or folder that is there. Never rejects. */
  async update(feature: string, change: StateChange): Promise<Updated> {
    return await new Promise((resolve) => {
      this.#waiting.set(feature, [...(this.#waiting.get(feature) ?? []), { change, resolve }]);
      void this.#turns.run(async () => this.#turn(feature));
    });
  }

  async #turn(feature: string): Promise<void> {
    const changes = this.#waiting.get(feature) ?? [];
    this.#waiting.delete(feature);
    if (changes.length === 0) {
      return;
    }
    const outcomes = await this.#changed(feature, changes);
    for (const [at, { resolve }] of changes.entries()) {
      resolve(outcomes.ok ? (outcomes.value[at] ?? ok(null)) : outcomes);
    }
  }

  async #changed(feature: string, changes: readonly WaitingChange[]): Promise<Result<readonly Updated[], RunRefusal>> {
    try {
      const folder = await this.#folder();
      return folder.ok ? await this.#underLock(join(folder.value, feature), changes) : folder;
    } catch (error) {
      const path = join(this.#options.root, STATE_FOLDER, `${feature}.json`);
      return fail(refusalOf(error, 'change the state of the feature run', path));
    }
  }

  async #folder(): Promise<Result<string, RunRefusal>> {
    const folder = await confinedPath(this.#options.root, STATE_FOLDER);
    if (!folder.ok) {
      return fail({ code: 'unsafe-root', message: `${folder.error} Replace that link with a folder and try again.` });
    }
    await mkdir(folder.value, { recursive: true });
    if (!this.#isSwept) {
      this.#isSwept = true;
      await removeDeadTemps(folder.value, this.#options.clock.now());
    }
    return ok(folder.value);
  }

  async #underLock(stem: string, changes: readonly WaitingChange[]): Promise<Result<readonly Updated[], RunRefusal>> {
    const lock = { searchPath: this.#options.searchPath, waitMs: LOCK_WAIT_MS };
    const locked = await withFlock(`${stem}.lock`, async () => this.#replace(stem, changes), lock);
    return locked.ok ? locked.value : fail(lockRefusal(locked.error, `${stem}.lock`));
  }

  async #replace(stem: string, changes: readonly WaitingChange[]): Promise<Result<readonly Updated[], RunRefusal>> {
    const path = `${stem}.json`;
    const file = await readBounded(path, STATE_MAX_BYTES);
    if (file.kind !== 'ok' && file.kind !== 'absent') {
      return fail(stateRefusal(path, `it is no file that can be read (${file.kind}); put its .json.bak in its place`));
    }
    const before = file.kind === 'ok' ? file.text : null;
    const { clock, zone } = this.#options;
    const opened = openState(before, { feature: basename(stem), at: naiveLocalTime(clock.now(), zone) });
    if (!opened.ok) {
      return fail(stateRefusal(path, opened.error));
    }
    const { text, outcomes } = await changeTogether(opened.value, changes, path);
    if (text !== opened.value.text) {
      await replaceText(path, before, text);
    }
    return ok(outcomes);
  }
}

/** Lets the state go through the changes one after another, so that each sees what the earlier ones did. */
async function changeTogether(
  first: OpenState,
  changes: readonly WaitingChange[],
  path: string,
): Promise<{ readonly text: string; readonly outcomes: readonly Updated[] }> {
  let state = first;
  const outcomes: Updated[] = [];
  for (const { change } of changes) {
    const changed = await change(state, dirname(path));
    state = changed.ok ? reopened(changed.value, state) : state;
    outcomes.push(changed.ok ? ok(null) : fail(stateRefusal(path, changed.error)));
  }
  return { text: state.text, outcomes };
}

function reopened(text: string, before: OpenState): OpenState {
  return { text, record: readRecord(text) ?? before.record };
}

async function replaceText(path: string, before: string | null, text: string): Promise<void> {
  const mode = before === null ? {} : { mode: (await lstat(path)).mode & 0o777 };
  if (before !== null) {
    await writeFileAtomic(`${path}.bak`, before, mode);
  }
  await writeFileAtomic(path, text, mode);
}

function lockRefusal(failure: FlockFailure, path: string): RunRefusal {
  switch (failure.kind) {
    case 'no-flock':
      return {
        code: 'failed',
        message:
          'A feature run is written to under the lock of its own program, which needs the command flock (of util-linux), ' +
          'and there is none here. Install it, or write from a system that has it. Nothing was written.',
      };
    case 'timeout':
      return {
        code: 'failed',
        message: `Another program has kept ${path} locked for ${LOCK_WAIT_MS / 1000} seconds. Wait for it or end it, and try again.`,
      };
    case 'failed':
      return {
        code: 'failed',
        message: `${path} cannot be locked: ${failure.reason}. Move the project to a disk with file locks and try again.`,
      };
  }
}
