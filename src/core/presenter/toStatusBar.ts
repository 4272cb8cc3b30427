import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import { usageWords, usedToday } from './engineWords';
import { fuseRow } from './fuseNode';
import { inboxRow } from './agents/inboxNode';
import { runNeedRow, runNeedsOf } from './features/runNeeds';
import { inboxOf, needsCount } from './needs';
import { escapeMarkdown } from './plainText';
import type { ShownRoot } from './shownRoot';
import { needsPerson, orderWorkers } from './workerOrder';
import { workerLabels } from './workerLabels';
import { activeCount } from './workersGroup';
import { spoken, toRow, type WorkerRow } from './workerRow';
import type { Reader } from './words';

/** The one status bar item. */
export interface StatusBarView {
  /** With `$(codicon)` marks. */
  readonly text: string;
  /** A small Markdown table; theme icons are ours, file content is escaped. */
  readonly tooltip: string;
  readonly accessibleLabel: string;
  /** True when something needs a person; only then the background changes. */
  readonly warning: boolean;
}

interface Totals {
  readonly active: number;
  readonly limit: number;
  readonly needs: number;
  readonly starting: boolean;
}

function totalsOf(snapshots: readonly ShownRoot[]): Totals {
  return {
    active: snapshots.reduce((sum, one) => sum + activeCount(one), 0),
    limit: snapshots.reduce((sum, one) => sum + one.maxConcurrent, 0),
    needs: needsCount(snapshots),
    starting: snapshots.some((one) => one.workers.some((worker) => worker.state === 'starting')),
  };
}

function textOf({ active, limit, needs, starting }: Totals, { t }: Reader): string {
  const icon = starting ? '$(loading~spin)' : '$(pulse)';
  const fleet = active > 0 ? `${icon} ${t('{0} workers', `${active}/${limit}`)}` : '';
  const bell = needs > 0 ? `$(bell-dot) ${needs}` : '';
  return [fleet, bell].filter((part) => part !== '').join('  ');
}

function isUnderWay({ endedAt, state }: WorkerSnapshot): boolean {
  return endedAt === null && state !== 'unknown';
}

type Line = Pick<WorkerRow, 'label' | 'description' | 'icon'>;

function workerLines({ workers }: FleetSnapshot, reader: Reader): readonly Line[] {
  const shown = orderWorkers(workers).filter(
    (worker) => needsPerson(worker) || worker.state === 'backoff' || isUnderWay(worker),
  );
  const labels = workerLabels(shown, reader);
  return shown.map((worker) => toRow(worker, labels.get(worker.workerId) ?? worker.workerId, reader));
}

function inboxLines({ session }: FleetSnapshot, reader: Reader): readonly Line[] {
  return inboxOf(session, 'own')
    .filter(({ item }) => item.snoozedUntil === null)
    .map((need) => inboxRow(need, reader));
}

function fuseLines({ fuses }: FleetSnapshot, reader: Reader): readonly Line[] {
  return fuses.map((fuse) => fuseRow(fuse, reader));
}

function runLines(shown: ShownRoot, reader: Reader): readonly Line[] {
  return runNeedsOf(shown).map((need) => runNeedRow(need, reader));
}

function tooltipOf(snapshots: readonly ShownRoot[], reader: Reader): string {
  const lines = snapshots
    .flatMap((snapshot) => [
      ...fuseLines(snapshot, reader),
      ...inboxLines(snapshot, reader),
      ...runLines(snapshot, reader),
      ...workerLines(snapshot, reader),
    ])
    .map(
      ({ icon, label, description }) => `| $(${icon.name}) ${escapeMarkdown(label)} | ${escapeMarkdown(description)} |`,
    );
  const used = usageWords(usedToday(snapshots, reader), reader.t);
  const today = used === '' ? [] : [`| $(credit-card) ${reader.t('Used today')} | ${escapeMarkdown(used)} |`];
  return ['| | |', '|:--|:--|', ...lines.slice(0, 10), ...today].join('\n');
}

/** The status bar item of all roots together, or null while there is nothing to say (surfaces.md, "Status bar"). */
export function toStatusBar(snapshots: readonly ShownRoot[], reader: Reader): StatusBarView | null {
  const totals = totalsOf(snapshots);
  if (totals.active === 0 && totals.needs === 0) {
    return null;
  }
  const { t } = reader;
  return {
    text: textOf(totals, reader),
    tooltip: tooltipOf(snapshots, reader),
    accessibleLabel: spoken(
      t('{0} of {1} workers active', totals.active, totals.limit),
      totals.needs > 0 ? t('{0} need you', totals.needs) : '',
    ),
    warning: totals.needs > 0,
  };
}
