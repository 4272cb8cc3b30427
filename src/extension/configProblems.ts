import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import { plainLine } from '../core/presenter/plainText';
import type { ConfigDiagnostic } from '../core/protocol/config/workersConfig';
import type { Fleet } from './fleet';

function problemOf({ line, column, message }: ConfigDiagnostic): vscode.Diagnostic {
  // VS Code widens an empty range to the word that stands there.
  const place = new vscode.Position(line - 1, column - 1);
  const text = plainLine(message, 500);
  const problem = new vscode.Diagnostic(new vscode.Range(place, place), text, vscode.DiagnosticSeverity.Error);
  problem.source = 'Rollcall';
  return problem;
}

/** Shows what is wrong in each root's `.vscode/workers.json` as problems of that file, at the entry at fault. */
export class ConfigProblems implements Disposable {
  readonly #fleet: Fleet;
  readonly #problems = vscode.languages.createDiagnosticCollection('rollcall');
  readonly #subscription: Disposable;
  #shown = '';

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#subscription = fleet.onDidChange(() => {
      this.#show();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#problems.dispose();
  }

  #show(): void {
    const faults = this.#fleet.snapshots.map(({ root, configDiagnostics }) => ({ root, configDiagnostics }));
    const key = JSON.stringify(faults);
    if (key === this.#shown) {
      return;
    }
    this.#shown = key;
    this.#problems.clear();
    for (const { root, configDiagnostics } of faults) {
      this.#problems.set(vscode.Uri.file(join(root, '.vscode', 'workers.json')), configDiagnostics.map(problemOf));
    }
  }
}
