import * as vscode from 'vscode';
import type { Command } from '../registerCommand';
import { pickAgent } from './pickAgent';

/** Shows the newest messages from and to an agent as a document. */
export const showMessages: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Whose messages?');
  const picked = await pickAgent(surface, argument, { placeHolder, suits: ({ messages }) => messages.length > 0 });
  if (picked.kind === 'found') {
    await surface.messages.show(picked.host.root, picked.agent.name);
  }
  return picked.kind === 'refused' ? picked.refusal : undefined;
};
