import * as vscode from 'vscode';
import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import type { HostApi } from '../core/host/api';
import { sessionText } from '../core/presenter/agents/sessionText';
import { featureText } from '../core/presenter/features/featureText';
import type { ShownRoot } from '../core/presenter/shownRoot';
import { folderName } from '../core/presenter/toTree';
import { plainEnglish } from '../core/presenter/words';
import { listTable } from '../core/protocol/workers/listTable';
import { statusTable } from '../core/protocol/workers/statusTable';
import { Batched } from './batched';
import type { Fleet } from './fleet';
import { reader } from './reader';

const SCHEME = 'rollcall-status';
const NO_TABLES = { tasks: false, workers: false };
const DRAWING = { delayMs: 250, restMs: 750 };

/** The protocol's tables, with session and feature runs, as read-only documents that keep themselves fresh while they are open. */
export class StatusDocuments implements vscode.TextDocumentContentProvider, Disposable {
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

  /** Opens the status table, fresh from the status protocol. */
  async showStatus(): Promise<void> {
    await this.#fleet.refresh();
    await this.#show('Workers Status');
  }

  /** Opens the table of worker types. */
  async showTypes(): Promise<void> {
    await this.#show('Worker Types');
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { hosts, snapshots } = this.#fleet;
    const tables = uri.path.endsWith('Types') ? await Promise.all(hosts.map(typesOf)) : snapshots.map(statusOf);
    const headed = tables.map((table, index) => (hosts.length > 1 ? `${hosts[index]?.root ?? ''}\n${table}` : table));
    return `${headed.join('\n\n')}\n`;
  }

  dispose(): void {
    this.#parts.dispose();
  }

  async #show(name: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    // Its own language, so that the manifest can set how a table looks without touching other documents.
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'rollcall-table'), {
      preview: false,
    });
  }

  #announce(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === SCHEME) {
        this.#changed.fire(document.uri);
      }
    }
  }
}

/** The protocol's table, and below it the session and the dashboards of feature runs as `rollcall status` prints them. */
function statusOf(shown: ShownRoot): string {
  const { root, workers, maxConcurrent, features, session, at } = shown;
  const terminal = { ...reader(), now: at, t: plainEnglish };
  const parts = [
    statusTable(workers, maxConcurrent),
    session === null ? '' : sessionText(shown, terminal, 'Needs you in the view Rollcall'),
    features === undefined ? '' : featureText(folderName(root), features, NO_TABLES),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

async function typesOf(host: HostApi): Promise<string> {
  return listTable(await host.listTypes(), 'vscode');
}
