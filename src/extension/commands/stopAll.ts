import * as vscode from 'vscode';
import { isActive } from '../../core/protocol/workers/statusWord';
import type { Command } from './registerCommand';

/** Stops every worker of the window and takes queued starts back, after the person confirmed the numbers. */
export const stopAll: Command = async ({ fleet, log }) => {
  const { snapshots } = fleet;
  const going = snapshots.flatMap(({ workers }) =>
    workers.filter(({ entry, state }) => isActive(entry.status) || state === 'backoff'),
  ).length;
  const waiting = snapshots.flatMap(({ queue }) => queue).length;
  if (going + waiting === 0) {
    return undefined;
  }
  const stop = vscode.l10n.t('Stop All');
  const question =
    going === 0
      ? vscode.l10n.t('Cancel all queued starts (now: {0})?', waiting)
      : vscode.l10n.t('Stop all workers (now: {0})?', going);
  const detail =
    going === 0 || waiting === 0 ? '' : vscode.l10n.t('Queued starts are cancelled first (now: {0}).', waiting);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, stop)) !== stop) {
    return undefined;
  }
  const reports = await Promise.all(
    fleet.hosts.map(async (host) => host.stopAll({ force: false, requestedBy: 'vscode' })),
  );
  for (const { message } of reports.flatMap(({ stopped }) => stopped)) {
    log.info(message);
  }
  const [refused] = reports.flatMap((report) => report.refused);
  return refused?.error;
};
