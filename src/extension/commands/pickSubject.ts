import * as vscode from 'vscode';
import type { Refusal } from '../../core/host/api';
import type { Surface } from '../surface';
import { type HostedRun, runItems, runOf } from './features/pickRun';
import { type HostedWorker, pickWorker, workerItems } from './pickWorker';
import { agentItems, agentOf, type HostedAgent } from './session/pickAgent';

/** Whatever has a log and a cause: a background worker or a session agent. */
export type Subject = HostedWorker | HostedAgent;

/** Whatever has a log. */
export type Logged = Subject | HostedRun;

/** `found`, or why not: `cancelled` by the person, or refused. */
export type PickedSubject<T = Subject> =
  | { readonly kind: 'found'; readonly subject: T }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

type Item<T> = vscode.QuickPickItem & { readonly hosted?: T };

function subjectItems(surface: Surface): readonly Item<Subject>[] {
  const separator = { label: vscode.l10n.t('Session agents'), kind: vscode.QuickPickItemKind.Separator };
  const agents = agentItems(surface, ({ state }) => state !== null);
  return [...workerItems(surface, () => true), ...(agents.length > 0 ? [separator] : []), ...agents];
}

function loggedItems(surface: Surface): readonly Item<Logged>[] {
  const separator = { label: vscode.l10n.t('Feature runs'), kind: vscode.QuickPickItemKind.Separator };
  const runs = runItems(surface);
  return [...subjectItems(surface), ...(runs.length > 0 ? [separator] : []), ...runs];
}

async function ask<T>(items: readonly Item<T>[], placeHolder: string): Promise<PickedSubject<T>> {
  const none: Item<T> = { label: vscode.l10n.t('No worker to choose from') };
  const choice = await vscode.window.showQuickPick<Item<T>>(items.length === 0 ? [none] : items, {
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return choice?.hosted === undefined ? { kind: 'cancelled' } : { kind: 'found', subject: choice.hosted };
}

/** The worker or agent that a command is about: the tree's row, an id or a name, or whatever the person picks. */
export async function pickSubject(surface: Surface, argument: unknown, placeHolder: string): Promise<PickedSubject> {
  if (typeof argument !== 'string') {
    return await ask(subjectItems(surface), placeHolder);
  }
  const agent = agentOf(surface, argument);
  if (agent !== undefined) {
    return { kind: 'found', subject: agent };
  }
  const picked = await pickWorker(surface, argument, { placeHolder, suits: () => true });
  return picked.kind === 'found' ? { kind: 'found', subject: picked } : picked;
}

/** As `pickSubject`, for what has a log: also a worker of a feature run. */
export async function pickLogged(
  surface: Surface,
  argument: unknown,
  placeHolder: string,
): Promise<PickedSubject<Logged>> {
  if (typeof argument !== 'string') {
    return await ask(loggedItems(surface), placeHolder);
  }
  const run = runOf(surface, argument);
  return run === undefined ? await pickSubject(surface, argument, placeHolder) : { kind: 'found', subject: run };
}
