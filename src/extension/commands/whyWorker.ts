import * as vscode from 'vscode';
import { pickSubject } from './pickSubject';
import type { Command } from './registerCommand';

/** Shows how a worker or agent came to be as it is, with evidence, the end of its log and what to do next. */
export const whyWorker: Command = async (surface, argument) => {
  const picked = await pickSubject(surface, argument, vscode.l10n.t('Why is which worker as it is?'));
  if (picked.kind === 'found') {
    const { subject } = picked;
    await surface.why.show(
      'agent' in subject ? { root: subject.host.root, agent: subject.agent.name } : { worker: subject.worker.workerId },
    );
  }
  return picked.kind === 'refused' ? picked.refusal : undefined;
};
