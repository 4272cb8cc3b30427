import { join } from 'node:path';
import { ok, type Result } from '../base/result';
import type { RunRefusal } from '../protocol/features/writing/runRefusal';
import { type Beat, beatWorker, heartbeatText } from '../protocol/features/writing/writeHeartbeat';
import { changeTask, type TaskChange } from '../protocol/features/writing/writeTask';
import { naiveLocalTime } from '../protocol/features/writing/writtenTime';
import { writeFileAtomic } from '../system/atomicFile';
import { STATE_FOLDER, StateUpdates, type StateUpdatesOptions } from './stateUpdates';

/** What may be written into the state of a feature run, whose other writers are programs of its own (features.md §4). */
export interface RunState {
  /**
   * Sets a task's status in `.zerg/state/{feature}.json`. `feature` must be the name of a file or folder that is there.
   * Gives the file's path below the root.
   */
  setTask(feature: string, change: TaskChange): Promise<Result<string, RunRefusal>>;
  /** Writes a worker's heartbeat file and what it says of the worker into the state. Gives both paths, heartbeat first. */
  beat(feature: string, beat: Beat): Promise<Result<readonly [string, string], RunRefusal>>;
}

/**
 * Opens the states of a project's feature runs for writing. The runs' own program can write at the same time and neither
 * loses anything; whoever dies in between leaves a whole file and a free lock. Nothing rejects.
 */
export function openRunState(options: StateUpdatesOptions): RunState {
  const { clock, zone } = options;
  const updates = new StateUpdates(options);
  return {
    setTask: async (feature, task) => {
      const done = await updates.update(feature, async (state) =>
        Promise.resolve(changeTask(state, task, naiveLocalTime(clock.now(), zone))),
      );
      return done.ok ? ok(`${STATE_FOLDER}/${feature}.json`) : done;
    },
    beat: async (feature, beat) => {
      const name = `heartbeat-${beat.worker}.json`;
      const done = await updates.update(feature, async (state, folder) => {
        await writeFileAtomic(join(folder, name), heartbeatText(beat, clock.now()));
        return ok(beatWorker(state, beat));
      });
      return done.ok ? ok([`${STATE_FOLDER}/${name}`, `${STATE_FOLDER}/${feature}.json`]) : done;
    },
  };
}
