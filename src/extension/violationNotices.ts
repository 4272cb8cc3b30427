import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import { noticeText } from '../core/presenter/plainText';
import { violationsOf } from '../core/presenter/workerRow';
import { freshWorkers, type ToldWorker } from './freshWorkers';
import { readSettings } from './settings';
import type { Surface } from './surface';

const MEMORY_KEY = 'knownViolations';

/** Says once per worker that protected files changed during its run, and offers a look at them. */
export class ViolationNotices implements Disposable {
  readonly #subscription: Disposable;

  constructor({ fleet, memory }: Surface) {
    const fresh = freshWorkers(memory, MEMORY_KEY, (worker) => violationsOf(worker).length > 0);
    this.#subscription = fleet.onDidChange(() => {
      const found = fleet.phase === 'ready' ? fresh.take(fleet.snapshots) : [];
      if (readSettings().notifyViolations) {
        found.forEach((one) => void this.#say(one));
      }
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #say({ what: worker }: ToldWorker): Promise<void> {
    const paths = violationsOf(worker).map(({ path }) => path);
    const [first = '', ...others] = paths;
    const what = others.length === 0 ? first : vscode.l10n.t('{0} and {1} more', first, others.length);
    const message = vscode.l10n.t('While {0} ran, protected files changed: {1}.', worker.entry.type, what);
    const review = vscode.l10n.t('Review');
    if ((await vscode.window.showWarningMessage(noticeText(message), review)) === review) {
      await vscode.commands.executeCommand('rollcall.reviewChanges', worker.workerId);
    }
  }
}
