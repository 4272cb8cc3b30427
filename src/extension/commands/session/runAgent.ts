import * as vscode from 'vscode';
import type { AgentRequest, Outcome, SessionAccepted, SessionApi } from '../../../core/host/api';
import { agentPower } from '../../../core/presenter/agents/agentRow';
import type { AgentSnapshot } from '../../../core/protocol/actors/sessionSnapshot';
import type { Surface } from '../../surface';
import type { Command, CommandOutcome } from '../registerCommand';
import { finish } from './finish';
import { type HostedAgent, pickAgent } from './pickAgent';

/** A command that only tells the session something about one agent. */
function toldOf(
  placeHolder: () => string,
  suits: (agent: AgentSnapshot) => boolean,
  tell: (session: SessionApi, request: AgentRequest) => Promise<Outcome<SessionAccepted>>,
): Command {
  return async (surface, argument) => {
    const picked = await pickAgent(surface, argument, { placeHolder: placeHolder(), suits });
    if (picked.kind !== 'found') {
      return picked.kind === 'refused' ? picked.refusal : undefined;
    }
    const { host, agent } = picked;
    const told = await vscode.window.withProgress({ location: { viewId: 'rollcall.views.workers' } }, async () =>
      tell(host.session, { agent: agent.name, requestedBy: 'vscode' }),
    );
    return finish(surface, told);
  };
}

const isDown = (agent: AgentSnapshot): boolean => agentPower(agent) === 'down';
const isWaiting = (agent: AgentSnapshot): boolean => agentPower(agent) === 'waits';

/** Starts an agent that does not run. */
export const startAgent = toldOf(
  () => vscode.l10n.t('Which agent shall start?'),
  isDown,
  async (session, request) => session.startAgent(request),
);

/** Waits for an agent that the person starts in a terminal. */
export const listenForAgent = toldOf(
  () => vscode.l10n.t('Which agent do you start yourself?'),
  isDown,
  async (session, request) => session.listen(request),
);

/** Ends an agent's wait for its restart. */
export const restartNow = toldOf(
  () => vscode.l10n.t('Which agent shall restart now?'),
  isWaiting,
  async (session, request) => session.skipWait(request),
);

/** An agent that waits for its restart is not started again by itself. */
export const cancelRestart = toldOf(
  () => vscode.l10n.t('Whose restart shall be cancelled?'),
  isWaiting,
  async (session, request) => session.stopAgent({ ...request, force: false }),
);

async function stop(surface: Surface, { host, agent }: HostedAgent, force: boolean): Promise<CommandOutcome> {
  return finish(surface, await host.session.stopAgent({ agent: agent.name, force, requestedBy: 'vscode' }));
}

/** Stops an agent politely; one that was already asked is stopped by force if the person wants that. */
export const stopAgent: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Which agent shall stop?');
  const picked = await pickAgent(surface, argument, { placeHolder, suits: (agent) => agentPower(agent) === 'up' });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  if (picked.agent.state !== 'stopping') {
    return await stop(surface, picked, false);
  }
  const force = vscode.l10n.t('Stop Now');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} was already asked to stop and is ending its work.', picked.agent.name),
    { modal: true, detail: vscode.l10n.t('Stopping it now ends its processes; unfinished work is lost.') },
    force,
  );
  return choice === force ? await stop(surface, picked, true) : undefined;
};

/** Puts an agent's name on the clipboard. */
export const copyAgentName: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Whose name?');
  const picked = await pickAgent(surface, argument, { placeHolder, suits: () => true });
  if (picked.kind === 'found') {
    await vscode.env.clipboard.writeText(picked.agent.name);
  }
  return picked.kind === 'refused' ? picked.refusal : undefined;
};
