import * as vscode from 'vscode';
import type { WorkerSnapshot } from '../../core/protocol/snapshot';
import { isActive } from '../../core/protocol/workers/statusWord';
import type { Surface } from '../surface';
import { type HostedWorker, pickWorker } from './pickWorker';
import type { Command, CommandOutcome } from './registerCommand';

function canStop(worker: WorkerSnapshot): boolean {
  return isActive(worker.entry.status) || worker.state === 'stopping' || worker.state === 'backoff';
}

async function stop({ log }: Surface, { host, worker }: HostedWorker, force: boolean): Promise<CommandOutcome> {
  const outcome = await host.stop({ worker: worker.workerId, force, requestedBy: 'vscode' });
  if (!outcome.ok) {
    return outcome.error;
  }
  log.info(outcome.value.message);
  return undefined;
}

async function offerForce(surface: Surface, hosted: HostedWorker): Promise<CommandOutcome> {
  const force = vscode.l10n.t('Stop Now');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} was already asked to stop and is ending its work.', hosted.worker.entry.type),
    { modal: true, detail: vscode.l10n.t('Stopping it now ends its processes; unfinished work is lost.') },
    force,
  );
  return choice === force ? await stop(surface, hosted, true) : undefined;
}

/**
 * Stops a worker politely; one that was already asked is stopped by force if the person wants that. One that waits for
 * its retry is not retried by itself any more.
 */
export const stopWorker: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Which worker shall stop?');
  const picked = await pickWorker(surface, argument, { placeHolder, suits: canStop });
  if (picked.kind === 'refused') {
    return picked.refusal;
  }
  if (picked.kind === 'cancelled') {
    return undefined;
  }
  const asked = picked.worker.entry.status === 'stop-requested' || picked.worker.state === 'stopping';
  return asked ? await offerForce(surface, picked) : await stop(surface, picked, false);
};
