import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable';
import { type RunNeed, runNeedLabel, runNeedsOf, runNeedText } from '../../core/presenter/features/runNeeds';
import { noticeText } from '../../core/presenter/plainText';
import { Fresh, type Told } from '../fresh';
import { readSettings } from '../settings';
import type { Surface } from '../surface';

const MEMORY_KEY = 'knownRunNeeds';

/** Says once of each thing that a feature run needs a person for, and offers the next step. */
export class RunNotices implements Disposable {
  readonly #subscription: Disposable;

  constructor({ fleet, memory }: Surface) {
    const fresh = new Fresh<RunNeed>(memory, MEMORY_KEY, (shown) =>
      runNeedsOf(shown).map((need) => ({ id: need.id, what: need })),
    );
    this.#subscription = fleet.onDidChange(() => {
      // What was so before the window first looked at the runs is no news.
      const looked = fleet.snapshots.filter(({ features }) => features !== undefined);
      const found = looked.length === 0 ? [] : fresh.take(looked);
      if (readSettings().notifyFeatures) {
        void say(found);
      }
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

async function say(found: readonly Told<RunNeed>[]): Promise<void> {
  const [first, ...others] = found;
  if (first === undefined) {
    return;
  }
  const { t } = vscode.l10n;
  const { root, what: need } = first;
  const [show, log] = [t('Show'), t('Show Log')];
  const one = t('{0}: {1}', runNeedLabel(need, { t }), runNeedText(need, { t }));
  const message = others.length === 0 ? noticeText(one) : t('{0} things need you.', found.length);
  const choice = await vscode.window.showWarningMessage(message, ...(others.length === 0 ? [log, show] : [show]));
  if (choice === show) {
    await vscode.commands.executeCommand('workbench.view.extension.rollcall');
  } else if (choice === log) {
    await vscode.commands.executeCommand('rollcall.showLog', `${root}#runNeed/${need.id}`);
  }
}
