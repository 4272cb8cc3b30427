import * as vscode from 'vscode';
import { type LogSource, logOfAgent, logOfRun, logOfWorker } from '../workerLogs';
import { type Logged, pickLogged, pickSubject } from './pickSubject';
import type { Command } from './registerCommand';

function logOf(subject: Logged): LogSource {
  if ('run' in subject) {
    return logOfRun(subject.run);
  }
  return 'agent' in subject ? logOfAgent(subject.agent) : logOfWorker(subject.worker);
}

/** Shows the output channel of a worker, an agent or a worker of a feature run, which follows its log. */
export const showLog: Command = async (surface, argument) => {
  const picked = await pickLogged(surface, argument, vscode.l10n.t('Whose log?'));
  if (picked.kind === 'found') {
    surface.logs.show(picked.subject.host, logOf(picked.subject));
  }
  return picked.kind === 'refused' ? picked.refusal : undefined;
};

/** Opens the whole log file of a worker or agent as a document. */
export const openLogFile: Command = async (surface, argument) => {
  const picked = await pickSubject(surface, argument, vscode.l10n.t('Whose log?'));
  if (picked.kind === 'found') {
    const { subject } = picked;
    const { logFile } = 'agent' in subject ? subject.agent : subject.worker;
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(logFile));
  }
  return picked.kind === 'refused' ? picked.refusal : undefined;
};
