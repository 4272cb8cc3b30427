import * as vscode from 'vscode';
import { chooseType } from './chooseType';
import type { Command } from './registerCommand';
import { offerWhenFree } from './startWhenFree';

/** Starts a worker of the given type, or of the one that the person picks; offers the queue where no slot is free. */
export const startWorker: Command = async (surface, argument) => {
  const choice = await chooseType(surface, argument);
  if (choice === undefined) {
    return undefined;
  }
  const { host, type } = choice;
  const outcome = await vscode.window.withProgress({ location: { viewId: 'rollcall.views.workers' } }, async () =>
    host.start({ type, requestedBy: 'vscode' }),
  );
  if (!outcome.ok) {
    const { error } = outcome;
    return error.code === 'limit' ? { ...error, offer: offerWhenFree({ root: host.root, type }) } : error;
  }
  surface.log.info(outcome.value.message);
  return undefined;
};
