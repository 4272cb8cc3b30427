import * as vscode from 'vscode';
import type { HostApi, Refusal } from '../../../core/host/api';
import { inboxLabel, inboxRow } from '../../../core/presenter/agents/inboxNode';
import { plainLine } from '../../../core/presenter/plainText';
import type { TreeNode } from '../../../core/presenter/treeNode';
import type { InboxItem } from '../../../core/protocol/actors/sessionSnapshot';
import { reader } from '../../reader';
import type { Surface } from '../../surface';
import { themeIcon } from '../../views/themeIcon';
import { placeOf } from '../features/pickRun';
import type { Command, CommandOutcome } from '../registerCommand';
import { finish } from './finish';
import { write } from './writeTo';

/** An item of the inbox together with the host that knows it. */
interface HostedItem {
  readonly host: HostApi;
  readonly item: InboxItem;
}

type PickedItem = ({ readonly kind: 'found' } & HostedItem) | { readonly kind: 'none'; readonly refusal?: Refusal };

function hostedItems({ fleet }: Surface): readonly HostedItem[] {
  return fleet.hosts.flatMap((host) => (host.getSnapshot().session?.inbox ?? []).map((item) => ({ host, item })));
}

async function ask(surface: Surface, placeHolder: string, suits: (item: InboxItem) => boolean): Promise<PickedItem> {
  const now = reader();
  const items = hostedItems(surface)
    .filter(({ item }) => suits(item))
    .map((hosted) => {
      const { icon, label, description } = inboxRow({ item: hosted.item, agent: null }, now);
      return { label, iconPath: themeIcon(icon), description, hosted };
    });
  if (items.length === 1 && items[0] !== undefined) {
    return { kind: 'found', ...items[0].hosted };
  }
  const none = { label: vscode.l10n.t('Nothing waits for you'), hosted: undefined };
  const choice = await vscode.window.showQuickPick<vscode.QuickPickItem & { readonly hosted?: HostedItem | undefined }>(
    items.length === 0 ? [none] : items,
    { placeHolder, matchOnDescription: true },
  );
  return choice?.hosted === undefined ? { kind: 'none' } : { kind: 'found', ...choice.hosted };
}

/** The item of a row, the oldest one of an agent's row, one named by its id, or the one that the person picks. */
async function pickItem(
  surface: Surface,
  argument: unknown,
  { placeHolder, suits }: { readonly placeHolder: string; readonly suits: (item: InboxItem) => boolean },
): Promise<PickedItem> {
  if (typeof argument !== 'string') {
    return await ask(surface, placeHolder, suits);
  }
  const node = surface.workers.nodeOf(argument);
  const found = hostedItems(surface).find(({ host, item }) => {
    const isHere = node === undefined || node.root === host.root;
    const isMeant = node?.kind === 'agent' ? item.agent === node.agent : item.id === (node?.itemId ?? argument);
    return isHere && isMeant && suits(item);
  });
  const message = vscode.l10n.t('This no longer waits for you: it was answered or settled.');
  return found === undefined ? { kind: 'none', refusal: { code: 'not-found', message } } : { kind: 'found', ...found };
}

/** Answers what an agent asked, in place: in a box, or in an editor where the answer is long. */
export const answerItem: Command = async (surface, argument) => {
  const { t } = vscode.l10n;
  const picked = await pickItem(surface, argument, {
    placeHolder: t('Answer what?'),
    suits: ({ canAnswer }) => canAnswer,
  });
  if (picked.kind !== 'found') {
    return picked.refusal;
  }
  const { host, item } = picked;
  return await write(surface, {
    order: { kind: 'answer', root: host.root, item: item.id },
    title: inboxLabel(item, t),
    prompt: plainLine(item.text, 500),
    placeholder: t('Your answer'),
    tab: `${t('Answer')} - ${item.agent}.md`,
    about: t('{0}: {1}', inboxLabel(item, t), plainLine(item.text, 500)),
  });
};

/** Takes an item out of the inbox without an answer. */
export const dismissItem: Command = async (surface, argument) => {
  const need = placeOf(surface, argument)?.place.need ?? null;
  if (need !== null) {
    await surface.runs.dismiss(need);
    return undefined;
  }
  const node = typeof argument === 'string' ? surface.workers.nodeOf(argument) : undefined;
  if (node?.kind === 'need' && node.workerId !== null) {
    return await dismissWorkerOf(surface, node);
  }
  const picked = await pickItem(surface, argument, { placeHolder: vscode.l10n.t('Dismiss what?'), suits: () => true });
  if (picked.kind !== 'found') {
    return picked.refusal;
  }
  return finish(surface, await picked.host.session.dismiss({ item: picked.item.id, requestedBy: 'vscode' }));
};

async function dismissWorkerOf(surface: Surface, { root, workerId }: TreeNode): Promise<CommandOutcome> {
  const host = surface.fleet.hosts.find((one) => one.root === root);
  const outcome = await host?.dismissWorker(workerId ?? '');
  if (outcome?.ok === true) {
    surface.log.info(outcome.value.message);
  }
  return outcome?.ok === false ? outcome.error : undefined;
}
