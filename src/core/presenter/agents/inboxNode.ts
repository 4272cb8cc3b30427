import type { InboxItem } from '../../protocol/actors/sessionSnapshot';
import { failureCause } from '../failureCause';
import type { NeedOfAgent } from '../needs';
import { plainLine } from '../plainText';
import { ageOf, clockTime, joined } from '../rowWords';
import { type TreeNode, treeNode } from '../treeNode';
import type { Icon } from '../workerIcon';
import { spoken, type WorkerRow } from '../workerRow';
import { factTable } from '../workerTooltip';
import type { Reader, Translate } from '../words';

const WARNING = 'list.warningForeground';

const ICONS: Readonly<Record<InboxItem['kind'], Icon>> = {
  question: { name: 'comment-unresolved', color: WARNING },
  blocked: { name: 'stop', color: WARNING },
  problem: { name: 'warning', color: WARNING },
  'gave-up': { name: 'error', color: 'testing.iconFailed' },
  failed: { name: 'error', color: 'testing.iconFailed' },
  fuse: { name: 'bell-dot', color: WARNING },
  expired: { name: 'watch', color: WARNING },
  undeliverable: { name: 'mail', color: WARNING },
};

/** What an item is about in a few words: `developer asks`. */
export function inboxLabel({ kind, agent }: InboxItem, t: Translate): string {
  const name = plainLine(agent, 40);
  switch (kind) {
    case 'question':
      return t('{0} asks', name);
    case 'blocked':
      return t('{0} is blocked', name);
    case 'problem':
      return t('{0} has a problem', name);
    case 'gave-up':
      return t('{0} gave up', name);
    case 'failed':
      return t('{0} failed', name);
    case 'fuse':
      return t('{0}: fuse blown', name);
    case 'expired':
      return t('{0}: mail expired', name);
    case 'undeliverable':
      return t('{0}: mail undelivered', name);
  }
}

/** The cause of an end is short; what else waits says so in its own words. */
function words({ item, agent }: NeedOfAgent, reader: Reader): string {
  const ended = item.kind === 'failed' || item.kind === 'gave-up';
  return ended && agent !== null
    ? joined(failureCause({ exit: agent.exit, error: null }, reader.t), clockTime(agent.endedAt, reader))
    : plainLine(item.text);
}

/** How an item looks. For menus: `inbox.<kind>`, then `.answer` where an answer can be given. A copy has no colour. */
export function inboxRow(need: NeedOfAgent, reader: Reader): WorkerRow {
  const { item } = need;
  const label = inboxLabel(item, reader.t);
  const description = words(need, reader);
  const icon = ICONS[item.kind];
  return {
    label,
    description,
    icon: item.copy ? { ...icon, color: null } : icon,
    contextValue: ['inbox', item.kind, ...(item.canAnswer ? ['answer'] : [])].join('.'),
    accessibleLabel: spoken(label, description),
  };
}

function tooltipOf(item: InboxItem, reader: Reader): string {
  const { t } = reader;
  const { message, since, agent } = item;
  return factTable([
    [t('Agent'), agent],
    [t('Says'), plainLine(item.text, 1_000)],
    [t('Since'), t('{0} · {1} ago', reader.timeOfDay(since), ageOf(since, reader))],
    [t('Type'), message?.message.type ?? null],
    [t('ID'), message?.message.id ?? null],
  ]);
}

/** An item's row in *Needs you*, or among those that a coordinator has too. */
export function inboxNode(
  { root, need }: { readonly root: string; readonly need: NeedOfAgent },
  reader: Reader,
): TreeNode {
  const { item } = need;
  return treeNode({
    ...inboxRow(need, reader),
    kind: 'inbox',
    id: `${root}#inbox/${item.id}`,
    root,
    agent: item.agent,
    itemId: item.id,
    tooltip: tooltipOf(item, reader),
  });
}
