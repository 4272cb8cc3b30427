import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import { suggestionText } from '../core/presenter/suggestionText';
import type { Suggestion } from '../core/protocol/workers/triggers';
import { showRefusal } from './commands/registerCommand';
import { offerWhenFree } from './commands/startWhenFree';
import { readSettings, silenceSuggestions } from './settings';
import type { Surface } from './surface';

/**
 * Asks once about each thing that the project's state suggests. It starts only when the person says so; *Not Now* is
 * remembered for this suggestion, *Never* turns the questions off. A question that is closed unanswered comes again in
 * the next window.
 */
export class SuggestionNotices implements Disposable {
  readonly #surface: Surface;
  readonly #subscriptions: vscode.Disposable;
  readonly #asked = new Set<string>();

  constructor(surface: Surface) {
    this.#surface = surface;
    const look = (): void => {
      this.#look();
    };
    this.#subscriptions = vscode.Disposable.from(
      surface.fleet.onDidChange(look),
      vscode.workspace.onDidChangeConfiguration(look),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #look(): void {
    const { fleet } = this.#surface;
    if (fleet.phase !== 'ready' || !fleet.trusted || !readSettings().notifySuggestions) {
      return;
    }
    for (const { root, leader, suggestions } of fleet.snapshots) {
      // Of several windows on one root the leading one asks; where nobody leads, each asks for itself.
      for (const suggestion of leader === null || leader.self ? suggestions : []) {
        const key = `${root}#${suggestion.id}`;
        if (!this.#asked.has(key)) {
          this.#asked.add(key);
          void this.#ask(root, suggestion);
        }
      }
    }
  }

  async #ask(root: string, suggestion: Suggestion): Promise<void> {
    const [start, later, never] = [vscode.l10n.t('Start'), vscode.l10n.t('Not Now'), vscode.l10n.t('Never')];
    const question = suggestionText(suggestion, vscode.l10n.t);
    const choice = await vscode.window.showInformationMessage(question, start, later, never);
    const host = this.#surface.fleet.hostOf(root);
    if (choice === undefined || host === undefined) {
      return;
    }
    const accept = choice === start;
    const outcome = await host.answerSuggestion({ id: suggestion.id, accept, requestedBy: 'vscode' });
    if (choice === never) {
      await silenceSuggestions();
    }
    if (!outcome.ok && accept) {
      const { error } = outcome;
      const offer = offerWhenFree({ root, type: suggestion.type });
      await showRefusal(error.code === 'limit' ? { ...error, offer } : error);
    }
  }
}
