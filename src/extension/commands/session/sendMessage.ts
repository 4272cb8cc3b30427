import * as vscode from 'vscode';
import { coordinatorName } from '../../../core/protocol/actors/agentName';
import type { AgentSnapshot } from '../../../core/protocol/actors/sessionSnapshot';
import type { Surface } from '../../surface';
import type { Command } from '../registerCommand';
import { type HostedAgent, hostedAgents, pickAgent } from './pickAgent';
import { write } from './writeTo';

interface TypeItem extends vscode.QuickPickItem {
  readonly type: string;
}

const CUSTOM = '';

function types(): readonly TypeItem[] {
  const { t } = vscode.l10n;
  return [
    { label: t('Question'), description: 'Query', detail: t('Its answer comes to Needs you.'), type: 'Query' },
    {
      label: t('Note'),
      description: 'System · info',
      detail: t('Something to know; nothing comes back.'),
      type: 'System',
    },
    {
      label: t('Change of plan'),
      description: 'PlanUpdate',
      detail: t('What the agent shall do otherwise.'),
      type: 'PlanUpdate',
    },
    {
      label: t('Other type…'),
      description: 'JSON',
      detail: t('Any type of the protocol, or a word of your own.'),
      type: CUSTOM,
    },
  ];
}

async function chooseType(): Promise<string | undefined> {
  const { t } = vscode.l10n;
  const chosen = await vscode.window.showQuickPick(types(), { placeHolder: t('What kind of message?') });
  return chosen?.type === CUSTOM
    ? await vscode.window.showInputBox({ prompt: t('The type of the message, e.g. ValidationRequest') })
    : chosen?.type;
}

async function writeMessage(surface: Surface, { host, agent }: HostedAgent): ReturnType<Command> {
  const type = await chooseType();
  if (type === undefined || type === '') {
    return undefined;
  }
  const { t } = vscode.l10n;
  const isPlain = types().some((one) => one.type === type);
  return await write(surface, {
    order: { kind: 'send', root: host.root, to: agent.name, type },
    title: t('{0} to {1}', type, agent.name),
    prompt: isPlain
      ? t('Enter sends it. The pencil opens an editor for longer text.')
      : t('The payload as one JSON object'),
    placeholder: isPlain ? '' : '{"key": "value"}',
    tab: `${type} - ${agent.name}.${isPlain ? 'md' : 'json'}`,
  });
}

/** Sends a message of the person to an agent. It waits where the agent does not run. */
export const sendMessage: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('To which agent?');
  const picked = await pickAgent(surface, argument, { placeHolder, suits: () => true });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  return await writeMessage(surface, picked);
};

/** Whom work goes to as a rule: everybody but the coordinator, where there is anybody else. */
function worksAlone(all: readonly HostedAgent[]): (agent: AgentSnapshot) => boolean {
  const others = all.some(({ agent }) => agent.name !== coordinatorName);
  return ({ name }) => !others || name !== coordinatorName;
}

/** Gives an agent work; one that does not run is started for it. */
export const assignWork: Command = async (surface, argument) => {
  const { t } = vscode.l10n;
  const suits = worksAlone(hostedAgents(surface));
  const picked = await pickAgent(surface, argument, { placeHolder: t('Who shall do it?'), suits });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  const { host, agent } = picked;
  return await write(surface, {
    order: { kind: 'assign', root: host.root, to: agent.name },
    title: t('Work for {0}', agent.name),
    prompt: t('What shall be done? The pencil opens an editor: the first line is the title.'),
    placeholder: t('Build the login page'),
    tab: `${t('Work')} - ${agent.name}.md`,
  });
};
