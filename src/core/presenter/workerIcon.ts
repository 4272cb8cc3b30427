import { blownIn } from '../protocol/keeper/fuse';
import type { WorkerHealth, WorkerSnapshot, WorkerStateKind } from '../protocol/snapshot';

/** A codicon and a theme colour id; the shape alone already tells the states apart. */
export interface Icon {
  readonly name: string;
  readonly color: string | null;
}

const WARNING = 'list.warningForeground';

const STATE_ICONS: Readonly<Record<WorkerStateKind, Icon>> = {
  starting: { name: 'loading~spin', color: null },
  running: { name: 'play-circle', color: 'charts.green' },
  stopping: { name: 'stop-circle', color: WARNING },
  backoff: { name: 'history', color: WARNING },
  parked: { name: 'debug-pause', color: 'charts.blue' },
  completed: { name: 'pass', color: 'testing.iconPassed' },
  failed: { name: 'error', color: 'testing.iconFailed' },
  stopped: { name: 'circle-slash', color: 'disabledForeground' },
  unknown: { name: 'question', color: WARNING },
};

const HEALTH_ICONS: Readonly<Record<WorkerHealth, Icon | null>> = {
  ok: null,
  late: { name: 'watch', color: WARNING },
  silent: { name: 'watch', color: WARNING },
  stale: { name: 'warning', color: WARNING },
  flooding: { name: 'warning', color: WARNING },
};

const BELL: Icon = { name: 'bell-dot', color: WARNING };

/** True for what a row must shout before its state: it cannot be read, or it waits for a person's answer. */
export function isAsking(worker: Pick<WorkerSnapshot, 'attention' | 'problem' | 'fuses'>): boolean {
  const kind = worker.attention?.kind;
  const shouts = kind !== undefined && kind !== 'failed' && kind !== 'gave-up';
  return worker.problem !== null || (shouts && !hasOutputFuse(worker));
}

/** Its output was too much for its fuse, which ended nobody: its state is still what its row tells. */
export function hasOutputFuse({ attention, fuses }: Pick<WorkerSnapshot, 'attention' | 'fuses'>): boolean {
  return attention?.kind === 'fuse' && blownIn(fuses)?.fuse === 'output';
}

/** The icon of a worker's row (surfaces.md, "How a row looks"). */
export function workerIcon(worker: Pick<WorkerSnapshot, 'attention' | 'problem' | 'state' | 'health' | 'fuses'>): Icon {
  if (isAsking(worker)) {
    return BELL;
  }
  const sick = worker.state === 'running' ? HEALTH_ICONS[worker.health] : null;
  return sick ?? STATE_ICONS[worker.state];
}
