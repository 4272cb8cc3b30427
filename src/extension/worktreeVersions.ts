import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import type { Fleet } from './fleet';

const SCHEME = 'rollcall-worktree';

/** A file of a project's repository as a commit has it, as VS Code can show it; `file` from the repository's top. */
export function versionOf(root: string, commit: string, file: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${file}`, query: new URLSearchParams({ root, commit }).toString() });
}

/** Gives the texts of such versions. */
export class WorktreeVersions implements vscode.TextDocumentContentProvider, Disposable {
  readonly #fleet: Fleet;
  readonly #registration: vscode.Disposable;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
    const asked = new URLSearchParams(query);
    const host = this.#fleet.hostOf(asked.get('root') ?? '');
    const version = await host?.worktrees.version({ commit: asked.get('commit') ?? '', file: path.slice(1) });
    if (version?.ok === false) {
      throw new Error(version.error.message);
    }
    return version?.value ?? '';
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
