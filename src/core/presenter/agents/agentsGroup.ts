import { coordinatorName } from '../../protocol/actors/agentName';
import type { SessionSnapshot } from '../../protocol/actors/sessionSnapshot';
import { inboxOf } from '../needs';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import { type TreeNode, treeNode } from '../treeNode';
import type { TreeScene } from '../treeScene';
import { spoken } from '../workerRow';
import type { Reader } from '../words';
import { agentNode } from './agentNode';
import { agentPower } from './agentRow';
import { inboxNode } from './inboxNode';

function modeWord({ mode }: SessionSnapshot, { t }: Reader): string {
  return mode === 'sequential' ? t('sequential') : t('event-driven');
}

function turnWords({ turn }: SessionSnapshot, { t }: Reader): string | null {
  if (turn === null) {
    return null;
  }
  const { iteration, maxIterations } = turn;
  const nth = maxIterations === null ? String(iteration) : `${iteration}/${maxIterations}`;
  return t('turn {0}: {1}', nth, plainLine(turn.agent, 20));
}

/** `3/4 · event-driven`: how many agents are up; in sequential mode whose turn it is. */
function groupWords(session: SessionSnapshot, reader: Reader): string {
  const up = session.agents.filter((agent) => agentPower(agent) === 'up').length;
  if (!session.running && up === 0) {
    return reader.t('no session');
  }
  return joined(turnWords(session, reader) ?? `${up}/${session.agents.length}`, modeWord(session, reader));
}

/** What the coordinator has got as well: there to be seen, folded, and not counted. */
function copiesNode(root: string, session: SessionSnapshot, reader: Reader): readonly TreeNode[] {
  const children = inboxOf(session, 'copy').map((need) => inboxNode({ root, need }, reader));
  return children.length === 0
    ? []
    : [
        treeNode({
          kind: 'group',
          id: `${root}#copies`,
          root,
          label: reader.t('With {0}', coordinatorName),
          description: String(children.length),
          icon: { name: 'mail', color: null },
          contextValue: 'group.copies',
          children,
        }),
      ];
}

/** *Session agents*: a row per agent in the order of the configuration; absent where there are none. */
export function agentsGroup({ snapshot, reader }: TreeScene): readonly TreeNode[] {
  const { root, session } = snapshot;
  if (session === null || session.agents.length === 0) {
    return [];
  }
  const label = reader.t('Session agents');
  const description = groupWords(session, reader);
  return [
    treeNode({
      kind: 'group',
      id: `${root}#agents`,
      root,
      label,
      description,
      contextValue: `group.agents.${session.running ? 'running' : 'stopped'}`,
      accessibleLabel: spoken(label, description),
      expand: 'expanded',
      children: [
        ...session.agents.map((agent) => agentNode({ root, agent }, reader)),
        ...copiesNode(root, session, reader),
      ],
    }),
  ];
}
