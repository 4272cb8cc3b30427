import * as vscode from 'vscode';
import type { TreeNode } from '../../core/presenter/treeNode';
import { rowItemId } from '../../core/protocol/workers/itemIds';
import { reader } from '../reader';
import type { Surface } from '../surface';
import { themeIcon } from '../views/themeIcon';
import type { Command, CommandOutcome } from './registerCommand';

const MINUTE_MS = 60_000;
const ITEM_KINDS: ReadonlySet<TreeNode['kind']> = new Set(['need', 'ask', 'inbox']);

/** How long an item can be put off. */
function spans(): readonly { readonly label: string; readonly minutes: number }[] {
  const { t } = vscode.l10n;
  return [
    { label: t('15 minutes'), minutes: 15 },
    { label: t('1 hour'), minutes: 60 },
    { label: t('4 hours'), minutes: 4 * 60 },
    { label: t('1 day'), minutes: 24 * 60 },
  ];
}

function itemsBelow(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap((node) => (ITEM_KINDS.has(node.kind) ? [node] : itemsBelow(node.children)));
}

/** The rows of what waits, or of what was put off, in all folders. */
function rows({ workers }: Surface, which: 'open' | 'snoozed'): readonly TreeNode[] {
  const isSnoozed = ({ contextValue }: TreeNode): boolean => contextValue.startsWith('snoozed.');
  return itemsBelow(workers.nodes(reader())).filter((node) => isSnoozed(node) === (which === 'snoozed'));
}

/** The row that was clicked, or the one that the person picks. */
async function rowOf(
  surface: Surface,
  argument: unknown,
  { which, placeHolder }: { readonly which: 'open' | 'snoozed'; readonly placeHolder: string },
): Promise<TreeNode | undefined> {
  if (typeof argument === 'string') {
    return surface.workers.nodeOf(argument);
  }
  const items = rows(surface, which).map((node) => {
    const { label, description, icon } = node;
    return { label, description, node, ...(icon === null ? {} : { iconPath: themeIcon(icon) }) };
  });
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.node;
}

async function snooze(surface: Surface, node: TreeNode, until: number): Promise<CommandOutcome> {
  const item = node.itemId ?? rowItemId(node.workerId ?? '');
  const outcome = await surface.fleet.hostOf(node.root)?.snooze({ item, until, requestedBy: 'vscode' });
  if (outcome?.ok === true) {
    surface.log.info(`${outcome.value.item} is snoozed until ${new Date(until).toISOString()}.`);
  }
  return outcome?.ok === false ? outcome.error : undefined;
}

/** Puts a row of *Needs you* off for a span that the person picks; it comes back by itself. */
export const snoozeItem: Command = async (surface, argument) => {
  const { t } = vscode.l10n;
  const node = await rowOf(surface, argument, { which: 'open', placeHolder: t('Snooze what?') });
  if (node === undefined) {
    return undefined;
  }
  const span = await vscode.window.showQuickPick(spans(), { placeHolder: t('Snooze for how long?') });
  return span === undefined ? undefined : await snooze(surface, node, Date.now() + span.minutes * MINUTE_MS);
};

/** Brings a row back that was put off. */
export const unsnoozeItem: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Bring what back?');
  const node = await rowOf(surface, argument, { which: 'snoozed', placeHolder });
  return node === undefined ? undefined : await snooze(surface, node, Date.now());
};
