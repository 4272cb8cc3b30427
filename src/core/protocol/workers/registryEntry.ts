/** Words a worker may write in status.json; the registry may also say `unknown` (workers.md §1). */
export type StatusWord = 'starting' | 'running' | 'completing' | 'completed' | 'failed' | 'stop-requested' | 'stopped';

export type RegistryStatus = StatusWord | 'unknown';

/** One worker in registry.json: exactly these eight keys, in this order; `extra` holds what others added. */
export interface RegistryEntry {
  readonly worker_id: string;
  readonly type: string;
  readonly status: RegistryStatus;
  readonly model: string;
  /** `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly started_at: string;
  readonly completed_at: string | null;
  /** Project-relative POSIX path with a trailing slash. Never used to find files (workers.md §4.14). */
  readonly output_dir: string;
  readonly retry_count: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly phase: string | null;
  readonly items_processed: number;
  readonly total_items: number | null;
}

/** status.json after tolerant reading. */
export interface StatusDocument {
  readonly worker_id: string | null;
  readonly type: string | null;
  readonly status: StatusWord;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly progress: Progress | null;
  readonly error: string | null;
}
