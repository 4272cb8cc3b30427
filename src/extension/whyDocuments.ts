import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import type { HostApi } from '../core/host/api';
import { agentWhyText } from '../core/presenter/agents/agentWhyText';
import { whyText } from '../core/presenter/whyText';
import type { Fleet } from './fleet';
import { reader } from './reader';

const SCHEME = 'rollcall-why';

/** What a document is about: a worker by its id, or a session agent by its name in one root. */
export type WhySubject = { readonly worker: string } | { readonly root: string; readonly agent: string };

/** One read-only document per worker and agent that tells how it came to be as it is, fresh whenever it is asked for. */
export class WhyDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #fleet: Fleet;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** Opens the document, or shows it again as things are now. */
  async show(subject: WhySubject): Promise<void> {
    const uri =
      'worker' in subject
        ? vscode.Uri.from({ scheme: SCHEME, path: `/${subject.worker}` })
        : vscode.Uri.from({ scheme: SCHEME, path: `/${subject.agent}`, query: subject.root });
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  }

  /** Brings all that are open up to date. */
  refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments.filter((document) => document.uri.scheme === SCHEME)) {
      this.#changed.fire(uri);
    }
  }

  async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
    const name = path.slice(1);
    const text = query === '' ? await this.#workerText(name) : await agentText(this.#fleet.hostOf(query), name);
    return `${text ?? vscode.l10n.t('This worker is no longer in the registry.')}\n`;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  async #workerText(workerId: string): Promise<string | null> {
    for (const host of this.#fleet.hosts) {
      const report = await host.why(workerId);
      if (report.ok) {
        return whyText(report.value.worker, report.value.lastLines, reader());
      }
    }
    return null;
  }
}

async function agentText(host: HostApi | undefined, name: string): Promise<string | null> {
  const report = await host?.whyAgent(name);
  return report?.ok === true ? agentWhyText(report.value.agent, report.value.lastLines, reader()) : null;
}
