import type { Clock } from '../base/clock';
import type { Result } from '../base/result';
import { isFeatureName } from '../protocol/features/reservedNames';
import { chooseFeature, type FeatureChoices } from '../protocol/features/writing/chooseFeature';
import type { RunRefusal } from '../protocol/features/writing/runRefusal';
import type { Beat } from '../protocol/features/writing/writeHeartbeat';
import type { TaskChange } from '../protocol/features/writing/writeTask';
import { machineZone } from '../protocol/features/zone';
import { FeatureReader } from '../readers/features/featureReader';
import { foldersIn } from '../readers/features/projectPlaces';
import { openRunState, type RunState } from '../registry/runState';
import { confinedPath } from '../system/safePath';
import type { CallerEnv } from './hostContext';

/** Which feature is meant; without a name it is found by the task, else it is the current one. */
interface RunRequest {
  readonly feature: string | null;
}

export interface BeatRequest extends RunRequest {
  readonly beat: Beat;
}

export interface TaskRequest extends RunRequest {
  readonly change: Omit<TaskChange, 'level'>;
}

/** What was written to; paths are relative to the root. */
export interface RunWritten {
  readonly feature: string;
  readonly files: readonly string[];
}

export interface RunWriterOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly env: CallerEnv;
}

/** Writes to the feature runs of one root for those who work on them (features.md §4). */
export class RunWriter {
  readonly #root: string;
  readonly #reader: FeatureReader;
  readonly #state: RunState;

  constructor({ root, clock, env }: RunWriterOptions) {
    this.#root = root;
    this.#reader = new FeatureReader({ root, home: null, clock });
    this.#state = openRunState({ root, clock, zone: machineZone, searchPath: env['PATH'] ?? '' });
  }

  /** Tells that a worker lives and what it is at. */
  async beat({ feature, beat }: BeatRequest): Promise<Result<RunWritten, RunRefusal>> {
    const chosen = chooseFeature({ feature, task: beat.task }, await this.#choices());
    if (!chosen.ok) {
      return chosen;
    }
    const done = await this.#state.beat(chosen.value, beat);
    return done.ok ? { ok: true, value: { feature: chosen.value, files: done.value } } : done;
  }

  /** Sets the status of a task. */
  async setTask({ feature, change }: TaskRequest): Promise<Result<RunWritten, RunRefusal>> {
    const choices = await this.#choices();
    const chosen = chooseFeature({ feature, task: change.task }, choices);
    if (!chosen.ok) {
      return chosen;
    }
    const graph = choices.graphs.find((file) => file.feature === chosen.value)?.value;
    const level = graph?.tasks.get(change.task)?.level ?? null;
    const done = await this.#state.setTask(chosen.value, { ...change, level });
    return done.ok ? { ok: true, value: { feature: chosen.value, files: [done.value] } } : done;
  }

  async #choices(): Promise<FeatureChoices> {
    const { graphs, states, currentFeature } = await this.#reader.read([]);
    const specs = await confinedPath(this.#root, '.gsd/specs');
    const designed = specs.ok ? await foldersIn(specs.value) : [];
    const begun = states.flatMap(({ feature, inWorktree }) => (feature === null || inWorktree ? [] : [feature]));
    const names = new Set([...designed, ...begun].filter(isFeatureName));
    return { graphs, currentFeature, names };
  }
}
