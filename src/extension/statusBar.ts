import * as vscode from 'vscode';
import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { tickInterval } from '../core/presenter/tickInterval';
import { type StatusBarView, toStatusBar } from '../core/presenter/toStatusBar';
import { Batched } from './batched';
import type { Fleet } from './fleet';
import { reader } from './reader';

const DRAWING = { delayMs: 250, restMs: 250 };

/** The window's one status bar item; hidden while there is nothing to say. */
export class StatusBar implements Disposable {
  readonly #fleet: Fleet;
  readonly #item = vscode.window.createStatusBarItem('rollcall.status', vscode.StatusBarAlignment.Left, 20);
  readonly #drawing: Batched;
  readonly #subscription: Disposable;
  #shown: StatusBarView | null = null;

  constructor(fleet: Fleet, clock: Clock) {
    this.#fleet = fleet;
    this.#item.name = vscode.l10n.t('Workers');
    this.#item.command = 'rollcall.showWorkers';
    this.#drawing = new Batched(clock, DRAWING, () => this.#draw());
    this.#subscription = fleet.onDidChange(() => {
      this.#drawing.soon();
    });
  }

  /** What the item says, or null while it is hidden. */
  get text(): string | null {
    return this.#shown?.text ?? null;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#drawing.dispose();
    this.#item.dispose();
  }

  #draw(): number | null {
    const { snapshots } = this.#fleet;
    this.#show(toStatusBar(snapshots, reader()));
    return tickInterval(snapshots);
  }

  #show(view: StatusBarView | null): void {
    if (JSON.stringify(view) === JSON.stringify(this.#shown)) {
      return;
    }
    this.#shown = view;
    if (view === null) {
      this.#item.hide();
      return;
    }
    this.#item.text = view.text;
    this.#item.tooltip = new vscode.MarkdownString(view.tooltip, true);
    this.#item.accessibilityInformation = { label: view.accessibleLabel, role: 'button' };
    this.#item.backgroundColor = view.warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.show();
  }
}
