import { type Belonging, featureOf, havingWorker } from './attribution';
import type { FeatureDraft } from './featureDraft';
import type { FeatureEscalation } from './featureSnapshot';
import type { FeatureSources, HeartbeatFile } from './featureSources';
import { newestOf, utcInstant } from './instant';
import { isNewer } from './mergeStates';
import type { EscalationRecord, TokenRecord, WorkerProgress } from './sideFiles';
import { isNumbered, workerIdOf, workerKey } from './workerKey';

/** What files that features share say about one of them; by worker key. */
export interface FeatureShare {
  readonly heartbeats: Map<string, HeartbeatFile>;
  /** When a heartbeat that cannot be read was last written, epoch milliseconds. */
  readonly tornHeartbeats: Map<string, number>;
  readonly escalations: FeatureEscalation[];
  readonly progress: Map<string, WorkerProgress>;
  readonly tokens: Map<string, number>;
  /** The newest line of its log about this feature, epoch milliseconds. */
  readonly logActivity: Map<string, number>;
}

/** The shares of all features, and what belongs to none of them. */
export interface SharedEvidence {
  readonly shares: ReadonlyMap<string, FeatureShare>;
  readonly unattributedHeartbeats: readonly string[];
  readonly unattributedEscalations: readonly FeatureEscalation[];
}

/** Gives heartbeats, escalations, tokens, checks and log lines to the features that they belong to. */
export function shareEvidence(sources: FeatureSources, drafts: readonly FeatureDraft[]): SharedEvidence {
  const shares = new Map(drafts.map(({ name }) => [name, emptyShare()]));
  const sharing = new Sharing(drafts, shares);
  const unattributedHeartbeats = sources.heartbeats.filter((file) => !sharing.heartbeat(file)).map(({ path }) => path);
  for (const { value } of sources.workerProgress) {
    sharing.progress(value);
  }
  for (const { value } of sources.tokens) {
    sharing.tokens(value);
  }
  for (const { worker, activity } of sources.workerLogs) {
    sharing.logLines(worker, activity);
  }
  return { shares, unattributedHeartbeats, unattributedEscalations: sharing.escalations(allEscalations(sources)) };
}

function emptyShare(): FeatureShare {
  return {
    heartbeats: new Map(),
    tornHeartbeats: new Map(),
    escalations: [],
    progress: new Map(),
    tokens: new Map(),
    logActivity: new Map(),
  };
}

/** A worktree's copy repeats what the project's own file says. */
function allEscalations({ escalations }: FeatureSources): readonly EscalationRecord[] {
  const all = escalations.flatMap(({ value }) => value ?? []);
  const said = new Map<string, EscalationRecord>();
  for (const record of all) {
    const { resolved, ...words } = record;
    const key = JSON.stringify(words);
    said.set(key, { ...record, resolved: resolved || said.get(key)?.resolved === true });
  }
  return [...said.values()];
}

class Sharing {
  readonly #drafts: readonly FeatureDraft[];
  readonly #shares: ReadonlyMap<string, FeatureShare>;

  constructor(drafts: readonly FeatureDraft[], shares: ReadonlyMap<string, FeatureShare>) {
    this.#drafts = drafts;
    this.#shares = shares;
  }

  /** False for a readable one that belongs to no feature. */
  heartbeat(file: HeartbeatFile): boolean {
    const { value, worktreeOf } = file;
    if (value === null) {
      this.#tornHeartbeat(file);
      return true;
    }
    const { worker, task } = value;
    const share = this.#shareOf({ task, worker, worktreeOf });
    if (share === null || worker === null || !isNumbered(worker)) {
      return false;
    }
    const known = share.heartbeats.get(worker)?.value?.at ?? null;
    if (!share.heartbeats.has(worker) || isNewer(utcInstant(value.at), utcInstant(known))) {
      share.heartbeats.set(worker, file);
    }
    return true;
  }

  progress(value: WorkerProgress | null): void {
    const worker = value?.worker ?? null;
    if (value !== null && worker !== null) {
      this.#shareOf({ task: value.task, worker, worktreeOf: null })?.progress.set(worker, value);
    }
  }

  /** What a worker spent counts for the feature of each task; without tasks for the only one that has the worker. */
  tokens(value: TokenRecord | null): void {
    const worker = value?.worker ?? null;
    if (value === null || worker === null) {
      return;
    }
    const { tasks, total } = value;
    const owners = this.#drafts.filter((draft) => [...tasks.keys()].some((task) => draft.tasks.has(task)));
    const owner = owners[0] ?? featureOf({ task: null, worker, worktreeOf: null }, this.#drafts);
    if (owner !== null && owners.length <= 1) {
      this.#shares.get(owner.name)?.tokens.set(worker, total ?? sum(tasks.values()));
      return;
    }
    for (const draft of owners) {
      const spent = [...tasks].filter(([task]) => draft.tasks.has(task)).map(([, amount]) => amount);
      this.#shares.get(draft.name)?.tokens.set(worker, sum(spent));
    }
  }

  /** Lines that name no feature belong to the only one that has the worker. */
  logLines(worker: string, activity: ReadonlyMap<string, number>): void {
    const unnamed = featureOf({ task: null, worker, worktreeOf: null }, this.#drafts);
    for (const [feature, at] of activity) {
      const share = this.#shares.get(feature === '' ? (unnamed?.name ?? '') : feature);
      share?.logActivity.set(worker, newestOf([at, share.logActivity.get(worker) ?? null]) ?? at);
    }
  }

  /** Hands out the escalations, oldest first, and gives back those that belong to no feature. */
  escalations(records: readonly EscalationRecord[]): readonly FeatureEscalation[] {
    const unattributed: FeatureEscalation[] = [];
    const timed = records.map((record) => ({ record, at: utcInstant(record.at) }));
    for (const { record, at } of timed.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))) {
      const { worker, task } = record;
      const ofTask = task === null ? null : this.#shareOf({ task, worker: null, worktreeOf: null });
      const share = ofTask ?? this.#shareOf({ task: null, worker, worktreeOf: null });
      (share?.escalations ?? unattributed).push({ ...record, worker: worker === null ? null : workerIdOf(worker), at });
    }
    return unattributed;
  }

  /** Whose it is cannot be read, so it is a sign of life for every worker of that id. */
  #tornHeartbeat({ nameId, mtimeMs }: HeartbeatFile): void {
    const worker = workerKey(nameId);
    for (const { name } of havingWorker(this.#drafts, worker)) {
      const share = this.#shares.get(name);
      if (share !== undefined && worker !== null) {
        share.tornHeartbeats.set(worker, newestOf([mtimeMs, share.tornHeartbeats.get(worker) ?? null]) ?? mtimeMs);
      }
    }
  }

  #shareOf(belonging: Belonging): FeatureShare | null {
    const draft = featureOf(belonging, this.#drafts);
    return draft === null ? null : (this.#shares.get(draft.name) ?? null);
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) {
    total += number;
  }
  return total;
}
