import type { AgentSnapshot, MessageSnapshot } from '../../protocol/actors/sessionSnapshot';
import { doingWords } from '../engineWords';
import { evidenceNodes } from '../evidenceNodes';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import { type ChildDraft, type TreeNode, treeNode } from '../treeNode';
import type { Reader } from '../words';
import { agentRow } from './agentRow';
import { agentTooltip } from './agentTooltip';
import { callWords } from './callWords';
import { isSentBy, messageNode, type PlacedMessage } from './messageNode';

/** One agent in one tree. */
interface PlacedAgent {
  readonly root: string;
  readonly agent: AgentSnapshot;
}

function childOf({ root, agent }: PlacedAgent, { key, ...draft }: ChildDraft): TreeNode {
  return treeNode({ ...draft, root, agent: agent.name, id: `${root}#agent/${agent.name}/${key}` });
}

function taskNode(placed: PlacedAgent, { t }: Reader): readonly TreeNode[] {
  const { currentTask, status } = placed.agent;
  const description = joined(plainLine(currentTask ?? ''), plainLine(status ?? ''));
  const icon = { name: 'comment', color: null };
  return description === ''
    ? []
    : [childOf(placed, { key: 'says', kind: 'fact', label: t('Says'), description, icon })];
}

/** The engine's program that runs for it now, and how many more such calls wait. */
function callNode(placed: PlacedAgent, reader: Reader): readonly TreeNode[] {
  const { t } = reader;
  const { engine, calls } = placed.agent;
  const more = calls.length > 1 ? t('{0} waiting', calls.length - 1) : null;
  const description = joined(callWords(placed.agent, reader), engine === null ? null : doingWords(engine, t), more);
  const icon = { name: 'play', color: null };
  return calls.length === 0
    ? []
    : [childOf(placed, { key: 'call', kind: 'fact', label: engine?.name ?? t('Engine'), description, icon })];
}

function listed(
  { root, agent }: PlacedAgent,
  { list, among }: Pick<PlacedMessage, 'list'> & { readonly among: readonly MessageSnapshot[] },
  reader: Reader,
): readonly TreeNode[] {
  return among.toReversed().map((shown) => messageNode({ root, agent: agent.name, shown, list }, reader));
}

function messagesNode(placed: PlacedAgent, reader: Reader): readonly TreeNode[] {
  const children = listed(placed, { list: 'messages', among: placed.agent.messages }, reader);
  const icon = { name: 'comment-discussion', color: null };
  const description = String(children.length);
  return children.length === 0
    ? []
    : [
        childOf(placed, {
          key: 'messages',
          kind: 'messages',
          label: reader.t('Messages'),
          description,
          icon,
          children,
          expand: 'expanded',
        }),
      ];
}

function mailboxNode(placed: PlacedAgent, reader: Reader): readonly TreeNode[] {
  const { agent } = placed;
  const waiting = agent.messages.filter((shown) => shown.stage === 'waiting' && !isSentBy(agent.name, shown));
  const icon = { name: 'inbox', color: null };
  const description = reader.t('{0} waiting', agent.waiting);
  return agent.waiting === 0
    ? []
    : [
        childOf(placed, {
          key: 'mailbox',
          kind: 'messages',
          label: reader.t('Mailbox'),
          description,
          icon,
          children: listed(placed, { list: 'mailbox', among: waiting }, reader),
        }),
      ];
}

function logNode(placed: PlacedAgent, { t }: Reader): readonly TreeNode[] {
  const icon = { name: 'list-selection', color: null };
  const { state, logFile } = placed.agent;
  return state === null ? [] : [childOf(placed, { key: 'log', kind: 'log', label: t('Log'), icon, file: logFile })];
}

/** An agent's row with its children: what it says, what it calls, waiting mail, messages, log, evidence. */
export function agentNode(placed: PlacedAgent, reader: Reader): TreeNode {
  const { root, agent } = placed;
  return treeNode({
    ...agentRow(agent, reader),
    kind: 'agent',
    root,
    id: `${root}#agent/${agent.name}`,
    agent: agent.name,
    tooltip: agentTooltip(agent, reader),
    children: [
      ...taskNode(placed, reader),
      ...callNode(placed, reader),
      ...mailboxNode(placed, reader),
      ...messagesNode(placed, reader),
      ...logNode(placed, reader),
      ...evidenceNodes(placed.agent.evidence, (child) => childOf(placed, child), reader),
    ],
  });
}
