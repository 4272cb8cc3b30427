import * as vscode from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { messagesText } from '../../core/presenter/agents/messagesText';
import type { Fleet } from '../fleet';
import { LiveDocuments } from '../liveDocuments';
import { reader } from '../reader';

/** The messages of each agent as a read-only document that keeps itself fresh while it is open. */
export class MessageDocuments implements Disposable {
  readonly #documents: LiveDocuments;

  constructor(fleet: Fleet, clock: Clock) {
    this.#documents = new LiveDocuments('rollcall-messages', fleet, clock, (uri) => messagesOf(fleet, uri));
  }

  /** Opens the messages of an agent. */
  async show(root: string, agent: string): Promise<void> {
    await this.#documents.show(vscode.l10n.t('Messages of {0}', agent), JSON.stringify({ root, agent }));
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

function messagesOf(fleet: Fleet, { query }: vscode.Uri): string {
  const { root, agent } = JSON.parse(query) as { readonly root?: string; readonly agent?: string };
  const session = fleet.hostOf(root ?? '')?.getSnapshot().session;
  const found = session?.agents.find(({ name }) => name === agent);
  return found === undefined ? '' : `${messagesText(found, reader())}\n`;
}
