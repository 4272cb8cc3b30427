import * as vscode from 'vscode';
import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { Batched } from './batched';
import type { Fleet } from './fleet';

const DRAWING = { delayMs: 250, restMs: 750 };

/** Read-only documents of one scheme that keep themselves fresh while they are open. */
export class LiveDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #scheme: string;
  readonly #textOf: (uri: vscode.Uri) => string | Promise<string>;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #parts: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  /** `textOf` gives the text that such a document has now. */
  constructor(scheme: string, fleet: Fleet, clock: Clock, textOf: (uri: vscode.Uri) => string | Promise<string>) {
    this.#scheme = scheme;
    this.#textOf = textOf;
    const drawing = new Batched(clock, DRAWING, () => {
      this.#announce();
      return null;
    });
    this.#parts = vscode.Disposable.from(
      this.#changed,
      drawing,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      fleet.onDidChange(() => {
        drawing.soon();
      }),
    );
  }

  /** Opens the document under that name, as fresh as it can be; `query` goes to `textOf` with its address. */
  async show(name: string, query = '', options: vscode.TextDocumentShowOptions = {}): Promise<void> {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${name}`, query });
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    // Its own language, so that the manifest can set how a table looks without touching other documents.
    const table = await vscode.languages.setTextDocumentLanguage(document, 'rollcall-table');
    await vscode.window.showTextDocument(table, options);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | Promise<string> {
    return this.#textOf(uri);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #announce(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === this.#scheme) {
        this.#changed.fire(document.uri);
      }
    }
  }
}
