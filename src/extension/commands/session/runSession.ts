import * as vscode from 'vscode';
import type { HostApi } from '../../../core/host/api';
import { agentPower } from '../../../core/presenter/agents/agentRow';
import { folderName } from '../../../core/presenter/toTree';
import type { SessionSnapshot } from '../../../core/protocol/actors/sessionSnapshot';
import type { Surface } from '../../surface';
import type { Command } from '../registerCommand';
import { finish } from './finish';

interface HostedSession {
  readonly host: HostApi;
  readonly session: SessionSnapshot;
}

/** The session of a group's row, the window's only one that suits, or the one that the person picks. */
async function chooseSession(
  { fleet, workers }: Surface,
  argument: unknown,
  { placeHolder, suits }: { readonly placeHolder: string; readonly suits: (session: SessionSnapshot) => boolean },
): Promise<HostedSession | undefined> {
  const root = typeof argument === 'string' ? workers.nodeOf(argument)?.root : undefined;
  const sessions = fleet.hosts.flatMap((host): readonly HostedSession[] => {
    const { session } = host.getSnapshot();
    const isMeant = root === undefined ? session !== null && suits(session) : root === host.root;
    return session !== null && isMeant ? [{ host, session }] : [];
  });
  if (sessions.length <= 1) {
    return sessions[0];
  }
  const items = sessions.map((one) => ({ label: folderName(one.host.root), description: one.host.root, one }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.one;
}

const PROGRESS = { location: { viewId: 'rollcall.views.workers' } };

/** Starts the session with the agents that begin with it. */
export const startSession: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Which session shall start?');
  const chosen = await chooseSession(surface, argument, { placeHolder, suits: ({ running }) => !running });
  if (chosen === undefined) {
    return undefined;
  }
  const started = await vscode.window.withProgress(PROGRESS, async () =>
    chosen.host.session.start({ requestedBy: 'vscode' }),
  );
  return finish(surface, started);
};

function upIn({ agents }: SessionSnapshot): readonly string[] {
  return agents.filter((agent) => agentPower(agent) === 'up').map(({ name }) => name);
}

/** Stops every agent of the session, the last started first, after the person confirmed which run. */
export const stopSession: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Which session shall stop?');
  const suits = (session: SessionSnapshot): boolean => session.running || upIn(session).length > 0;
  const chosen = await chooseSession(surface, argument, { placeHolder, suits });
  if (chosen === undefined) {
    return undefined;
  }
  const up = upIn(chosen.session);
  if (up.length > 0) {
    const stop = vscode.l10n.t('Stop Session');
    const question = vscode.l10n.t('Stop the session and its agents (now running: {0})?', up.length);
    const detail = vscode.l10n.t('{0} are asked to stop and have time to finish.', up.join(', '));
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, stop)) !== stop) {
      return undefined;
    }
  }
  return finish(surface, await chosen.host.session.stop({ requestedBy: 'vscode', force: false }));
};
