import * as vscode from 'vscode';
import type { HostApi, Refusal } from '../../../core/host/api';
import { agentRow } from '../../../core/presenter/agents/agentRow';
import { folderName } from '../../../core/presenter/toTree';
import type { AgentSnapshot } from '../../../core/protocol/actors/sessionSnapshot';
import { reader } from '../../reader';
import { themeIcon } from '../../views/themeIcon';
import type { Surface } from '../../surface';

/** A session agent together with the host that knows it. */
export interface HostedAgent {
  readonly host: HostApi;
  readonly agent: AgentSnapshot;
}

/** A quick pick row that stands for an agent. */
export interface AgentItem extends vscode.QuickPickItem {
  readonly hosted: HostedAgent;
}

/** `found`, or why not: `cancelled` by the person, or refused. */
export type PickedAgent =
  | ({ readonly kind: 'found' } & HostedAgent)
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** All agents of the window. */
export function hostedAgents({ fleet }: Surface): readonly HostedAgent[] {
  return fleet.hosts.flatMap((host) => (host.getSnapshot().session?.agents ?? []).map((agent) => ({ host, agent })));
}

/** Those that suit as quick pick rows, in the order of the tree. */
export function agentItems(surface: Surface, suits: (agent: AgentSnapshot) => boolean): readonly AgentItem[] {
  const now = reader();
  const several = surface.fleet.hosts.length > 1;
  return hostedAgents(surface)
    .filter(({ agent }) => suits(agent))
    .map((hosted) => {
      const { label, icon, description } = agentRow(hosted.agent, now);
      const place = several ? { detail: folderName(hosted.host.root) } : {};
      return { label, iconPath: themeIcon(icon), description, ...place, hosted };
    });
}

/** The agent that a command's argument means: a row of the tree, or a name. */
export function agentOf(surface: Surface, argument: string): HostedAgent | undefined {
  const node = surface.workers.nodeOf(argument);
  const name = node?.agent ?? argument;
  return hostedAgents(surface).find(
    ({ host, agent }) => agent.name === name && (node === undefined || node.root === host.root),
  );
}

async function ask(
  surface: Surface,
  placeHolder: string,
  suits: (agent: AgentSnapshot) => boolean,
): Promise<PickedAgent> {
  const items = agentItems(surface, suits);
  const none = { label: vscode.l10n.t('No agent to choose from'), hosted: undefined };
  const choice = await vscode.window.showQuickPick<
    vscode.QuickPickItem & { readonly hosted?: HostedAgent | undefined }
  >(items.length === 0 ? [none] : items, { placeHolder, matchOnDescription: true });
  return choice?.hosted === undefined ? { kind: 'cancelled' } : { kind: 'found', ...choice.hosted };
}

/** The agent that a command is about: the tree's row, a name, or whatever the person picks. */
export async function pickAgent(
  surface: Surface,
  argument: unknown,
  { placeHolder, suits }: { readonly placeHolder: string; readonly suits: (agent: AgentSnapshot) => boolean },
): Promise<PickedAgent> {
  if (typeof argument !== 'string') {
    return await ask(surface, placeHolder, suits);
  }
  const hosted = agentOf(surface, argument);
  const message = vscode.l10n.t('No agent is called {0}. Look at the names in .vscode/workers.json.', argument);
  return hosted === undefined
    ? { kind: 'refused', refusal: { code: 'not-found', message } }
    : { kind: 'found', ...hosted };
}
