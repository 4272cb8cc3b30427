import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import { failureCause } from '../core/presenter/failureCause';
import { formatDuration } from '../core/presenter/formatDuration';
import { noticeText } from '../core/presenter/plainText';
import type { WorkerSnapshot } from '../core/protocol/snapshot';
import type { Fresh } from './fresh';
import { freshWorkers, type ToldWorker } from './freshWorkers';
import { readSettings } from './settings';
import type { Surface } from './surface';
import { logOfWorker } from './workerLogs';

const MEMORY_KEY = 'knownFailures';

function failedText(worker: WorkerSnapshot): string {
  const cause = worker.error ?? failureCause(worker, vscode.l10n.t);
  return noticeText(vscode.l10n.t('{0} failed: {1}', worker.entry.type, cause));
}

function retriedText(worker: WorkerSnapshot): string {
  const { entry, nextStartAt } = worker;
  const cause = failureCause(worker, vscode.l10n.t);
  const wait = formatDuration((nextStartAt ?? 0) - Date.now());
  return noticeText(vscode.l10n.t('{0} failed and is retried in {1}: {2}', entry.type, wait, cause));
}

/** Its engine is gone or nobody is signed in: the fix is a step of the set-up. */
function needsSetUp({ engine, exit }: WorkerSnapshot): boolean {
  return engine !== null && (exit?.class === 'auth' || exit?.class === 'not installed');
}

/** Says once per failed worker that it failed: an error, or only a warning where another is started in its place by itself. */
export class FailureNotices implements Disposable {
  readonly #surface: Surface;
  readonly #subscription: Disposable;
  readonly #fresh: Fresh<WorkerSnapshot>;

  constructor(surface: Surface) {
    this.#surface = surface;
    this.#fresh = freshWorkers(surface.memory, MEMORY_KEY, ({ state }) => state === 'failed' || state === 'backoff');
    this.#subscription = surface.fleet.onDidChange(() => {
      this.#look();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #look(): void {
    const { fleet } = this.#surface;
    if (fleet.phase !== 'ready') {
      return;
    }
    const fresh = this.#fresh.take(fleet.snapshots);
    if (readSettings().notifyFailed) {
      void this.#say(fresh);
    }
  }

  async #say(failures: readonly ToldWorker[]): Promise<void> {
    const [first, ...others] = failures;
    if (first === undefined) {
      return;
    }
    if (others.length === 0) {
      await this.#sayOne(first);
    } else {
      await this.#sayMany(failures.length);
    }
  }

  async #sayOne({ root, what: worker }: ToldWorker): Promise<void> {
    const showLog = vscode.l10n.t('Show Log');
    const openOutput = vscode.l10n.t('Open Output');
    const setUp = vscode.l10n.t('Set Up Engine…');
    const actions = [
      ...(needsSetUp(worker) ? [setUp] : []),
      showLog,
      ...(worker.outputs.length > 0 ? [openOutput] : []),
    ];
    const choice = await (worker.state === 'backoff'
      ? vscode.window.showWarningMessage(retriedText(worker), ...actions)
      : vscode.window.showErrorMessage(failedText(worker), ...actions));
    const host = this.#surface.fleet.hostOf(root);
    if (choice === showLog && host !== undefined) {
      this.#surface.logs.show(host, logOfWorker(worker));
    } else if (choice === setUp) {
      await vscode.commands.executeCommand('rollcall.setUpEngine', worker.engine?.name);
    } else if (choice === openOutput) {
      await vscode.commands.executeCommand('rollcall.openOutput', worker.workerId);
    }
  }

  async #sayMany(count: number): Promise<void> {
    const show = vscode.l10n.t('Show Workers');
    const choice = await vscode.window.showErrorMessage(vscode.l10n.t('{0} workers failed.', count), show);
    if (choice === show) {
      await vscode.commands.executeCommand('workbench.view.extension.rollcall');
    }
  }
}
