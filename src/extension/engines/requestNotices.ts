import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable';
import { noticeText, plainLine } from '../../core/presenter/plainText';
import { projectText } from '../../core/presenter/projectText';
import { type WorkerItem, workerItems } from '../../core/presenter/workerItems';
import { Fresh, type Told } from '../fresh';
import { readSettings } from '../settings';
import type { Surface } from '../surface';

const MEMORY_KEY = 'knownRequests';

/** Buttons with the commands behind them. */
function actionsOf({ kind }: WorkerItem): readonly { readonly title: string; readonly command: string }[] {
  const { t } = vscode.l10n;
  return kind === 'question'
    ? [{ title: t('Answer'), command: 'rollcall.answerRequest' }]
    : [
        { title: t('Allow'), command: 'rollcall.allowRequest' },
        { title: t('Deny'), command: 'rollcall.denyRequest' },
      ];
}

/** Says once of each permission and question that a worker's program waits for, and takes the answer in place. */
export class RequestNotices implements Disposable {
  readonly #subscription: Disposable;

  constructor({ fleet, memory }: Surface) {
    const fresh = new Fresh<WorkerItem>(memory, MEMORY_KEY, ({ workers }) =>
      workerItems(workers)
        .filter(({ ask }) => ask !== null)
        .map((item) => ({ id: item.id, what: item })),
    );
    this.#subscription = fleet.onDidChange(() => {
      const found = fleet.phase === 'ready' ? fresh.take(fleet.snapshots) : [];
      if (readSettings().notifyRequests) {
        void this.#say(found);
      }
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #say(found: readonly Told<WorkerItem>[]): Promise<void> {
    const [first, ...others] = found;
    if (first !== undefined) {
      await (others.length === 0 ? this.#sayOne(first) : this.#sayMany(found.length));
    }
  }

  async #sayOne({ what: item }: Told<WorkerItem>): Promise<void> {
    const { t } = vscode.l10n;
    const what = plainLine(projectText(item.text, item.worker), 200);
    const message = noticeText(t('{0} asks: {1}', item.worker.entry.type, what));
    const actions = actionsOf(item);
    const choice = await vscode.window.showWarningMessage(message, ...actions.map(({ title }) => title));
    const action = actions.find(({ title }) => title === choice);
    if (action !== undefined) {
      await vscode.commands.executeCommand(action.command, item.id);
    }
  }

  async #sayMany(count: number): Promise<void> {
    const show = vscode.l10n.t('Show');
    const choice = await vscode.window.showWarningMessage(vscode.l10n.t('{0} things need you.', count), show);
    if (choice === show) {
      await vscode.commands.executeCommand('workbench.view.extension.rollcall');
    }
  }
}
