import * as vscode from 'vscode';
import { errorText } from '../../core/base/errorText';
import { noticeText } from '../../core/presenter/plainText';
import type { Refusal } from '../../core/host/api';
import type { Surface } from '../surface';

/** A button that runs a command. */
export interface Offer {
  readonly title: string;
  readonly command: string;
  readonly argument?: unknown;
}

/** A refusal to show; `offer` is a way out that only the refused command knows. */
export interface ShownRefusal extends Refusal {
  readonly offer?: Offer;
}

/** What a command gives: nothing, when it did its work or the person changed their mind, or the refusal to show. */
export type CommandOutcome = ShownRefusal | undefined;

/** One command; `argument` is what VS Code hands over: a tree element, a name, or nothing from the palette. */
export type Command = (surface: Surface, argument: unknown) => Promise<CommandOutcome>;

function remedyOf({ code }: Refusal): Offer {
  switch (code) {
    case 'limit':
    case 'not-found':
    case 'ambiguous':
    case 'wrong-state':
    case 'fuse':
      return { title: vscode.l10n.t('Show Status'), command: 'rollcall.showStatus' };
    case 'unknown-type':
    case 'missing-template':
      return { title: vscode.l10n.t('List Types'), command: 'rollcall.listTypes' };
    case 'untrusted':
      return { title: vscode.l10n.t('Manage Trust'), command: 'workbench.trust.manage' };
    case 'engine':
      return { title: vscode.l10n.t('Set Up Engine…'), command: 'rollcall.setUpEngine' };
    case 'read-only':
    case 'registry-version':
    case 'disk-full':
    case 'unsafe-root':
    case 'isolation':
    case 'spawn-failed':
    case 'not-leader':
    case 'failed':
      return { title: vscode.l10n.t('Open Log'), command: 'rollcall.openRollcallLog' };
  }
}

/** Shows a refusal in its own words, with the next step. Resolves when the message is gone. */
export async function showRefusal(refusal: ShownRefusal): Promise<void> {
  const offers = [...(refusal.offer === undefined ? [] : [refusal.offer]), remedyOf(refusal)];
  const titles = offers.map(({ title }) => title);
  const choice = await vscode.window.showWarningMessage(noticeText(refusal.message), ...titles);
  const offer = offers.find(({ title }) => title === choice);
  if (offer !== undefined) {
    await vscode.commands.executeCommand(offer.command, offer.argument);
  }
}

async function showDefect(surface: Surface, id: string, error: unknown): Promise<void> {
  surface.log.error(error instanceof Error ? error : String(error), id);
  const openLog = vscode.l10n.t('Open Log');
  const choice = await vscode.window.showErrorMessage(noticeText(errorText(error)), openLog);
  if (choice === openLog) {
    surface.log.show();
  }
}

/**
 * Registers one command and decides how its end reaches the person: a refusal as its own text with the next step, anything
 * unexpected in the log with a way there. The messages are not waited for, so a caller never hangs on them.
 */
export function registerCommand(surface: Surface, id: string, command: Command): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (argument: unknown) => {
    try {
      // The first command may be what activates the extension.
      await surface.fleet.opened();
      const refusal = await command(surface, argument);
      if (refusal !== undefined) {
        surface.log.warn(`${id}: ${refusal.message}`);
        void showRefusal(refusal);
      }
    } catch (error) {
      void showDefect(surface, id, error);
    }
  });
}
