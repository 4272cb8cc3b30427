import * as vscode from 'vscode';
import type { HostApi, Refusal } from '../../core/host/api';
import { orderWorkers } from '../../core/presenter/workerOrder';
import { workerLabels } from '../../core/presenter/workerLabels';
import { toRow } from '../../core/presenter/workerRow';
import type { WorkerSnapshot } from '../../core/protocol/snapshot';
import { reader } from '../reader';
import type { Surface } from '../surface';
import { themeIcon } from '../views/themeIcon';

/** A worker together with the host that knows it. */
export interface HostedWorker {
  readonly host: HostApi;
  readonly worker: WorkerSnapshot;
}

/** A quick pick row that stands for a worker. */
export interface WorkerItem extends vscode.QuickPickItem {
  readonly hosted: HostedWorker;
}

/** `found`, or why not: `cancelled` by the person, or refused. */
export type Picked =
  | ({ readonly kind: 'found' } & HostedWorker)
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** All workers of the window as quick pick rows, in the order of the tree. */
export function workerItems(surface: Surface, suits: (worker: WorkerSnapshot) => boolean): readonly WorkerItem[] {
  const now = reader();
  return surface.fleet.hosts.flatMap((host) => {
    const { workers } = host.getSnapshot();
    const labels = workerLabels(workers, now);
    return orderWorkers(workers.filter(suits)).map((worker) => {
      const { label, description, icon } = toRow(worker, labels.get(worker.workerId) ?? worker.workerId, now);
      return { label, iconPath: themeIcon(icon), description, detail: worker.workerId, hosted: { host, worker } };
    });
  });
}

async function ask(surface: Surface, placeHolder: string, suits: (worker: WorkerSnapshot) => boolean): Promise<Picked> {
  const items = workerItems(surface, suits);
  const none = { label: vscode.l10n.t('No worker to choose from'), hosted: undefined };
  const choice = await vscode.window.showQuickPick<
    vscode.QuickPickItem & { readonly hosted?: HostedWorker | undefined }
  >(items.length === 0 ? [none] : items, { placeHolder, matchOnDescription: true, matchOnDetail: true });
  return choice?.hosted === undefined ? { kind: 'cancelled' } : { kind: 'found', ...choice.hosted };
}

async function find(surface: Surface, worker: string): Promise<Picked> {
  let refusal: Refusal = { code: 'not-found', message: vscode.l10n.t('Open a folder first.') };
  for (const host of surface.fleet.hosts) {
    const outcome = await host.find(worker);
    if (outcome.ok) {
      return { kind: 'found', host, worker: outcome.value };
    }
    refusal = outcome.error;
  }
  return { kind: 'refused', refusal };
}

/** The worker that a command is about: the tree's row, an id or a unique prefix of one, or whatever the person picks. */
export async function pickWorker(
  surface: Surface,
  argument: unknown,
  { placeHolder, suits }: { readonly placeHolder: string; readonly suits: (worker: WorkerSnapshot) => boolean },
): Promise<Picked> {
  if (typeof argument !== 'string') {
    return await ask(surface, placeHolder, suits);
  }
  const node = surface.workers.nodeOf(argument);
  return await find(surface, node?.workerId ?? argument);
}
