import { fail, ok, type Result } from '../base/result';
import type { FleetSnapshot, WorkerStateKind } from '../protocol/snapshot';
import type { Worktree, WorktreeDiff } from '../protocol/worktrees/worktree';
import { diffWorktree, versionOf } from '../worktrees/diffWorktree';
import { type MergedWorktree, mergeWorktree } from '../worktrees/mergeWorktree';
import { type RemovedWorktree, removeWorktree } from '../worktrees/removeWorktree';
import { listWorktrees } from '../worktrees/worktreeStore';
import type { Outcome, Refusal } from './api';
import type { HostContext } from './hostContext';

export type { MergedWorktree, RemovedWorktree };

/** A worktree, and whether somebody works in it now. */
export interface ShownWorktree extends Worktree {
  readonly busy: boolean;
}

/** The worktrees of a root's agents and workers (engines.md, "Isolation"). */
export interface WorktreeApi {
  list(): Promise<Outcome<readonly ShownWorktree[]>>;
  /** What is in it and not in the project, committed or not. Changes nothing. */
  diff(name: string): Promise<Outcome<WorktreeDiff>>;
  /** A file as a commit has it; its path from the repository's top, as a diff names it. */
  version(request: { readonly commit: string; readonly file: string }): Promise<Outcome<string>>;
  /**
   * Merges its branch into the project's. A conflict changes nothing and names the files. What is not committed there is in
   * the way, or with `commit` is committed first.
   */
  merge(request: { readonly name: string; readonly commit: boolean }): Promise<Outcome<MergedWorktree>>;
  /** Removes it. What is not merged is in the way; with `discard` a commit of it stays, and the answer names it. */
  remove(request: { readonly name: string; readonly discard: boolean }): Promise<Outcome<RemovedWorktree>>;
}

/** Carries requests about worktrees out. It asks git alone, so it needs no leader. */
export class WorktreeDesk implements WorktreeApi {
  readonly #host: HostContext;
  readonly #look: () => Promise<FleetSnapshot>;

  constructor(host: HostContext, look: () => Promise<FleetSnapshot>) {
    this.#host = host;
    this.#look = look;
  }

  async list(): Promise<Outcome<readonly ShownWorktree[]>> {
    return await this.#trusted(async () => {
      const all = await listWorktrees(this.#host.git);
      const busy = all.ok && all.value.length > 0 ? busyNames(await this.#look()) : new Set();
      return all.ok ? ok(all.value.map((one) => ({ ...one, busy: busy.has(one.name) }))) : all;
    });
  }

  async diff(name: string): Promise<Outcome<WorktreeDiff>> {
    return await this.#trusted(async () => diffWorktree(this.#host.git, name));
  }

  async version(request: { readonly commit: string; readonly file: string }): Promise<Outcome<string>> {
    return await this.#trusted(async () => versionOf(this.#host.git, request));
  }

  async merge({ name, commit }: { readonly name: string; readonly commit: boolean }): Promise<Outcome<MergedWorktree>> {
    return await this.#trusted(async () => {
      const trouble = commit ? await this.#busyTrouble(name) : null;
      return trouble === null ? await mergeWorktree(this.#host.git, name, { commit }) : fail(trouble);
    });
  }

  async remove(request: { readonly name: string; readonly discard: boolean }): Promise<Outcome<RemovedWorktree>> {
    const { name, discard } = request;
    return await this.#trusted(async () => {
      const trouble = await this.#busyTrouble(name);
      const stamp = new Date(this.#host.clock.now()).toISOString().replace(/\D/g, '').slice(0, 14);
      return trouble === null ? await removeWorktree(this.#host.git, name, { discard, stamp }) : fail(trouble);
    });
  }

  async #busyTrouble(name: string): Promise<string | null> {
    return busyNames(await this.#look()).has(name)
      ? `${name} works in its worktree now. Stop it first, or wait for its end.`
      : null;
  }

  /** Git runs what a project's own configuration names, so nothing of it runs where that is not trusted. */
  async #trusted<T>(ask: () => Promise<Result<T, string>>): Promise<Outcome<T>> {
    if (!this.#host.trusted) {
      return fail<Refusal>({
        code: 'untrusted',
        message: 'Git runs nothing in an untrusted workspace. Trust it first.',
      });
    }
    const answer = await ask();
    return answer.ok ? answer : fail<Refusal>({ code: 'wrong-state', message: answer.error });
  }
}

const ENDED: ReadonlySet<WorkerStateKind | null> = new Set([null, 'completed', 'failed', 'stopped', 'unknown']);

/** The workers and agents that have not ended. */
function busyNames({ workers, session }: FleetSnapshot): ReadonlySet<string> {
  return new Set([
    ...workers.filter(({ state }) => !ENDED.has(state)).map(({ workerId }) => workerId),
    ...(session?.agents ?? []).filter(({ state }) => !ENDED.has(state)).map(({ name }) => name),
  ]);
}
