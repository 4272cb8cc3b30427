import * as vscode from 'vscode';
import type { HostApi } from '../../../core/host/api';
import { plainLine } from '../../../core/presenter/plainText';
import { projectText } from '../../../core/presenter/projectText';
import { type WorkerItem, workerItems } from '../../../core/presenter/workerItems';
import type { AskRecord } from '../../../core/protocol/engines/keptEngine';
import type { Surface } from '../../surface';
import type { Command, CommandOutcome } from '../registerCommand';

/** A request of a worker's program together with the host that knows it. */
interface HostedAsk {
  readonly host: HostApi;
  readonly item: WorkerItem & { readonly ask: AskRecord };
}

type Picked = ({ readonly kind: 'found' } & HostedAsk) | { readonly kind: 'none'; readonly outcome: CommandOutcome };

/** What a person decided; undefined when they changed their mind. */
type Decision = { readonly allow: boolean; readonly text: string | null } | undefined;

function hostedAsks({ fleet }: Surface): readonly HostedAsk[] {
  return fleet.hosts.flatMap((host) =>
    workerItems(host.getSnapshot().workers).flatMap((item) =>
      item.ask === null ? [] : [{ host, item: { ...item, ask: item.ask } }],
    ),
  );
}

async function choose(asks: readonly HostedAsk[]): Promise<HostedAsk | undefined> {
  const [first, ...others] = asks;
  if (first === undefined || others.length === 0) {
    return first;
  }
  const rows = asks.map((hosted) => ({
    label: plainLine(hosted.item.text),
    detail: hosted.item.worker.workerId,
    hosted,
  }));
  const choice = await vscode.window.showQuickPick(rows, { placeHolder: vscode.l10n.t('Answer what?') });
  return choice?.hosted;
}

/** The request of a row, one named by its id, the oldest one of a worker, or the one that the person picks. */
async function pickAsk(surface: Surface, argument: unknown): Promise<Picked> {
  const asks = hostedAsks(surface);
  const node = typeof argument === 'string' ? surface.workers.nodeOf(argument) : undefined;
  const name = node?.itemId ?? node?.workerId ?? argument;
  const found =
    typeof name === 'string'
      ? asks.find(({ item }) => item.id === name || item.worker.workerId === name)
      : await choose(asks);
  if (found !== undefined) {
    return { kind: 'found', ...found };
  }
  const message = vscode.l10n.t('This no longer waits for you: it was answered or settled.');
  return { kind: 'none', outcome: asks.length > 1 && name === undefined ? undefined : { code: 'not-found', message } };
}

async function decidePermission({ ask, worker }: HostedAsk['item']): Promise<Decision> {
  const { t } = vscode.l10n;
  const rows = [
    { label: t('Allow'), iconPath: new vscode.ThemeIcon('check'), allow: true, asksWhy: false },
    { label: t('Deny'), iconPath: new vscode.ThemeIcon('x'), allow: false, asksWhy: false },
    { label: t('Deny and say why…'), iconPath: new vscode.ThemeIcon('comment'), allow: false, asksWhy: true },
  ];
  const title = t('{0} asks', worker.entry.type);
  const choice = await vscode.window.showQuickPick(rows, {
    title,
    placeHolder: plainLine(projectText(ask.text, worker), 300),
  });
  if (choice === undefined || !choice.asksWhy) {
    return choice === undefined ? undefined : { allow: choice.allow, text: null };
  }
  const text = await vscode.window.showInputBox({ title, prompt: t('What shall it be told?'), ignoreFocusOut: true });
  return text === undefined ? undefined : { allow: false, text: text.trim() === '' ? null : text.trim() };
}

async function decideQuestion({ ask, worker }: HostedAsk['item']): Promise<Decision> {
  const { t } = vscode.l10n;
  const title = t('{0} asks', worker.entry.type);
  const prompt = plainLine(ask.text, 300);
  const own = { label: t('Another answer…'), iconPath: new vscode.ThemeIcon('edit'), answer: null };
  const rows = [...ask.choices.map((choice) => ({ label: choice, answer: choice })), own];
  const choice =
    ask.choices.length === 0 ? own : await vscode.window.showQuickPick(rows, { title, placeHolder: prompt });
  if (choice === undefined || choice.answer !== null) {
    return choice === undefined ? undefined : { allow: true, text: choice.answer };
  }
  const text = await vscode.window.showInputBox({ title, prompt, placeHolder: t('Your answer'), ignoreFocusOut: true });
  return text === undefined || text.trim() === '' ? undefined : { allow: true, text: text.trim() };
}

async function give(surface: Surface, { host, item }: HostedAsk, decision: Decision): Promise<CommandOutcome> {
  if (decision === undefined) {
    return undefined;
  }
  const { requestId } = item.ask;
  const request = { worker: item.worker.workerId, requestId, ...decision, requestedBy: 'vscode' } as const;
  const outcome = await host.answerRequest(request);
  if (!outcome.ok) {
    return outcome.error;
  }
  surface.log.info(outcome.value.message);
  return undefined;
}

/** Answers what a worker's program asks, in place: a permission by allow or deny, a question by a choice or a text. */
export const answerRequest: Command = async (surface, argument) => {
  const picked = await pickAsk(surface, argument);
  if (picked.kind === 'none') {
    return picked.outcome;
  }
  const decide = picked.item.ask.isQuestion ? decideQuestion : decidePermission;
  return await give(surface, picked, await decide(picked.item));
};

function deciding(allow: boolean): Command {
  return async (surface, argument) => {
    const picked = await pickAsk(surface, argument);
    if (picked.kind === 'none') {
      return picked.outcome;
    }
    const isAnswer = allow && picked.item.ask.isQuestion;
    return await give(surface, picked, isAnswer ? await decideQuestion(picked.item) : { allow, text: null });
  };
}

/** Lets a program do what it asks for. */
export const allowRequest: Command = deciding(true);

/** Keeps a program from what it asks for; it is told so and goes on. */
export const denyRequest: Command = deciding(false);
