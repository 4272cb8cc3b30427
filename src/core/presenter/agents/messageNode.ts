import type { MessageSnapshot } from '../../protocol/actors/sessionSnapshot';
import { plainLine } from '../plainText';
import { ageOf, joined } from '../rowWords';
import { type TreeNode, treeNode } from '../treeNode';
import { spoken } from '../workerRow';
import { factTable } from '../workerTooltip';
import type { Reader } from '../words';
import { messageSummary } from './messageSummary';
import { stageIcon, stageWord } from './stageWord';

/** A message where it stands: below one agent of a root, in a list of that agent. */
export interface PlacedMessage {
  readonly root: string;
  readonly agent: string;
  readonly shown: MessageSnapshot;
  readonly list: 'messages' | 'mailbox';
}

function tooltipOf({ seq, message, sentAt, stage }: MessageSnapshot, reader: Reader): string {
  const { t } = reader;
  return factTable([
    [t('ID'), message.id],
    [t('Number'), String(seq)],
    [t('Type'), message.type],
    [t('From'), message.from],
    [t('To'), message.to],
    [t('Sent'), t('{0} · {1} ago', reader.timeOfDay(sentAt), ageOf(sentAt, reader))],
    [t('State'), stageWord(stage, t)],
    [t('Answers'), message.inReplyTo ?? null],
    [t('Says'), messageSummary(message)],
  ]);
}

/** Whether the agent sent it. */
export function isSentBy(agent: string, { message }: MessageSnapshot): boolean {
  return message.from === agent;
}

/** One message as an agent has it: `→ qa  WorkComplete · done · T-12`. Number, time and id are in the tooltip. */
export function messageNode({ root, agent, shown, list }: PlacedMessage, reader: Reader): TreeNode {
  const { t } = reader;
  const { seq, message, stage } = shown;
  const sent = isSentBy(agent, shown);
  const other = plainLine(sent ? message.to : message.from, 40);
  const says = joined(plainLine(message.type, 40), messageSummary(message));
  return treeNode({
    kind: 'message',
    id: `${root}#agent/${agent}/${list}/${seq}`,
    root,
    agent,
    label: `${sent ? '→' : '←'} ${other}`,
    description: says,
    icon: stageIcon(stage),
    tooltip: tooltipOf(shown, reader),
    accessibleLabel: spoken(sent ? t('to {0}', other) : t('from {0}', other), says, stageWord(stage, t)),
  });
}
