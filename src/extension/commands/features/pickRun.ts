import type * as vscode from 'vscode';
import type { HostApi } from '../../../core/host/api';
import { runWorkerIcon } from '../../../core/presenter/features/runIcons';
import { runWorkerDescription } from '../../../core/presenter/features/runWorkerNode';
import { workerName } from '../../../core/presenter/features/taskNode';
import { plainLine } from '../../../core/presenter/plainText';
import type { RunPlace } from '../../../core/presenter/treeNode';
import { reader } from '../../reader';
import type { Surface } from '../../surface';
import { themeIcon } from '../../views/themeIcon';
import type { RunWorker } from '../../workerLogs';

/** A worker of a feature run together with the host that sees it. */
export interface HostedRun {
  readonly host: HostApi;
  readonly run: RunWorker;
}

/** What of a feature run a row of the tree stands for, with the host that sees it; undefined for other rows. */
export function placeOf(
  surface: Surface,
  argument: unknown,
): { readonly host: HostApi; readonly place: RunPlace } | undefined {
  const node = typeof argument === 'string' ? surface.workers.nodeOf(argument) : undefined;
  const host = node === undefined ? undefined : surface.fleet.hostOf(node.root);
  return host === undefined || node === undefined || node.run === null ? undefined : { host, place: node.run };
}

/** Whose log a row stands for: a worker's, else that of the feature's orchestrator. */
export function runOf(surface: Surface, argument: unknown): HostedRun | undefined {
  const found = placeOf(surface, argument);
  const feature = found?.place.feature ?? null;
  return found === undefined || feature === null
    ? undefined
    : { host: found.host, run: { feature, worker: found.place.worker } };
}

/** A quick pick row that stands for a worker of a feature run. */
export interface RunItem extends vscode.QuickPickItem {
  readonly hosted: HostedRun;
}

/** All workers of all runs of the window as quick pick rows. */
export function runItems({ fleet }: Surface): readonly RunItem[] {
  const now = reader();
  return fleet.snapshots.flatMap(({ root, features }) => {
    const host = fleet.hostOf(root);
    return host === undefined
      ? []
      : (features?.features ?? []).flatMap((feature) =>
          feature.workers.map((worker) => ({
            label: `${plainLine(feature.feature, 40)} ${workerName(worker.id)}`,
            iconPath: themeIcon(runWorkerIcon(worker)),
            description: runWorkerDescription(worker, feature, now),
            hosted: { host, run: { feature: feature.feature, worker: worker.id } },
          })),
        );
  });
}
