import * as vscode from 'vscode';
import { readOrder, type WrittenOrder } from './writtenOrder';

const SCHEME = 'rollcall-draft';

/** A draft that is open in an editor. */
export interface Draft {
  readonly document: vscode.TextDocument;
  readonly order: WrittenOrder;
}

/**
 * Longer texts for agents are written in an editor, as documents that are never a file: each knows from its address what it
 * is for, so that it can be sent after a reload, too.
 */
export class Drafts implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #texts = new Map<string, Uint8Array>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeFile = this.#changed.event;

  constructor() {
    this.#registration = vscode.workspace.registerFileSystemProvider(SCHEME, this);
  }

  /** Opens an editor for the text; `name` is what its tab says. */
  async write(order: WrittenOrder, name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: JSON.stringify(order) });
    this.#texts.set(uri.toString(), new TextEncoder().encode(text));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  /** The draft in the editor that has the focus. */
  active(): Draft | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const order = document?.uri.scheme === SCHEME ? readOrder(document.uri.query) : null;
    return document === undefined || order === null ? undefined : { document, order };
  }

  /** Closes a draft that was sent. */
  async close({ document }: Draft): Promise<void> {
    // Only then its tab closes without a question.
    await document.save();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const own = tabs.filter(
      ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString(),
    );
    await vscode.window.tabGroups.close(own);
    this.#texts.delete(document.uri.toString());
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#texts.get(uri.toString()) ?? new Uint8Array();
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    this.#texts.set(uri.toString(), content);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).byteLength };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
