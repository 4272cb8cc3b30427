import * as vscode from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { messagesText } from '../../core/presenter/agents/messagesText';
import { Batched } from '../batched';
import type { Fleet } from '../fleet';
import { reader } from '../reader';

const SCHEME = 'rollcall-messages';
const DRAWING = { delayMs: 250, restMs: 750 };

/** The messages of each agent as a read-only document that keeps itself fresh while it is open. */
export class MessageDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #fleet: Fleet;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #parts: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor(fleet: Fleet, clock: Clock) {
    this.#fleet = fleet;
    const drawing = new Batched(clock, DRAWING, () => {
      this.#announce();
      return null;
    });
    this.#parts = vscode.Disposable.from(
      this.#changed,
      drawing,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      fleet.onDidChange(() => {
        drawing.soon();
      }),
    );
  }

  /** Opens the messages of an agent. */
  async show(root: string, agent: string): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${vscode.l10n.t('Messages of {0}', agent)}`,
      query: JSON.stringify({ root, agent }),
    });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'rollcall-table'));
  }

  provideTextDocumentContent({ query }: vscode.Uri): string {
    const { root, agent } = JSON.parse(query) as { readonly root?: string; readonly agent?: string };
    const session = this.#fleet.hostOf(root ?? '')?.getSnapshot().session;
    const found = session?.agents.find(({ name }) => name === agent);
    return found === undefined ? '' : `${messagesText(found, reader())}\n`;
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #announce(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === SCHEME) {
        this.#changed.fire(document.uri);
      }
    }
  }
}
