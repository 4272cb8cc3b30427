import type { ContainerPlace } from './containerOrder';

/** How a worker is kept from what it may not write (engines.md, "Isolation"): prevented, or compared afterwards. */
export const isolationLevels = ['audit', 'sandbox', 'worktree', 'container'] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

/** What happened to a protected path between the start and the end of a run. */
export type ProtectedChange = 'added' | 'changed' | 'removed';

/** A protected path that changed during a run. Whoever did it is not known: others may have run, a person edited. */
export interface Violation {
  /** Project-relative POSIX path. */
  readonly path: string;
  readonly change: ProtectedChange;
  /** ISO 8601 UTC with milliseconds: the change itself where the file still tells it, else when it was seen. */
  readonly at: string;
}

/** How one run was isolated, and what was found. */
export interface IsolationRecord {
  readonly level: IsolationLevel;
  /** What a person should know about it, e.g. why no sandbox runs here; null when there is nothing. */
  readonly note: string | null;
  /** Known once the run has ended. */
  readonly violations: readonly Violation[];
  /** Only where it runs in one. */
  readonly container?: ContainerPlace;
}
