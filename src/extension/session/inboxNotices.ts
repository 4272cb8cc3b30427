import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable';
import { inboxLabel } from '../../core/presenter/agents/inboxNode';
import { noticeText, plainLine } from '../../core/presenter/plainText';
import type { InboxItem } from '../../core/protocol/actors/sessionSnapshot';
import { Fresh, type Told } from '../fresh';
import { readSettings } from '../settings';
import type { Surface } from '../surface';

const MEMORY_KEY = 'knownInbox';

/** A button with what it does. */
interface Action {
  readonly title: string;
  readonly command: string;
  readonly argument: string;
}

function actionsOf({ root, what: { canAnswer, kind, id, agent } }: Told<InboxItem>): readonly Action[] {
  const { t } = vscode.l10n;
  const [itemRow, agentRow] = [`${root}#inbox/${id}`, `${root}#agent/${agent}`];
  const answer = { title: t('Answer'), command: 'rollcall.answerItem', argument: itemRow };
  const log = { title: t('Show Log'), command: 'rollcall.showLog', argument: agentRow };
  const why = { title: t('Why?'), command: 'rollcall.whyWorker', argument: agentRow };
  const show = { title: t('Show'), command: 'workbench.view.extension.rollcall', argument: agentRow };
  if (kind === 'failed' || kind === 'gave-up') {
    return [log, why];
  }
  return canAnswer ? [answer, show] : [show];
}

/** Says once of each thing that an agent needs a person for, and offers the next step. */
export class InboxNotices implements Disposable {
  readonly #subscription: Disposable;

  constructor({ fleet, memory }: Surface) {
    const fresh = new Fresh<InboxItem>(memory, MEMORY_KEY, ({ session }) =>
      (session?.inbox ?? [])
        .filter(({ copy }) => !copy)
        // The same cause can come again later; then it is news again.
        .map((item) => ({ id: `${item.id}@${item.since}`, what: item })),
    );
    this.#subscription = fleet.onDidChange(() => {
      const found = fleet.phase === 'ready' ? fresh.take(fleet.snapshots) : [];
      if (readSettings().notifyAgents) {
        void this.#say(found);
      }
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #say(found: readonly Told<InboxItem>[]): Promise<void> {
    const [first, ...others] = found;
    if (first === undefined) {
      return;
    }
    await (others.length === 0 ? this.#sayOne(first) : this.#sayMany(found.length));
  }

  async #sayOne(told: Told<InboxItem>): Promise<void> {
    const { t } = vscode.l10n;
    const { what: item } = told;
    const ended = item.kind === 'failed' || item.kind === 'gave-up';
    // The words of an end begin with the agent's name themselves.
    const message = noticeText(ended ? item.text : t('{0}: {1}', inboxLabel(item, t), plainLine(item.text)));
    const actions = actionsOf(told);
    const titles = actions.map(({ title }) => title);
    const choice = await (ended
      ? vscode.window.showErrorMessage(message, ...titles)
      : vscode.window.showWarningMessage(message, ...titles));
    const action = actions.find(({ title }) => title === choice);
    if (action !== undefined) {
      await vscode.commands.executeCommand(action.command, action.argument);
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
