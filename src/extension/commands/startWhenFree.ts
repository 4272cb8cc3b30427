import * as vscode from 'vscode';
import { chooseType, type ChosenType } from './chooseType';
import type { Command, Offer } from './registerCommand';

/** The way out of a refusal for want of a slot. */
export function offerWhenFree(chosen: ChosenType): Offer {
  return {
    title: vscode.l10n.t('Start When a Slot Is Free'),
    command: 'rollcall.startWhenFree',
    argument: { root: chosen.root, type: chosen.type },
  };
}

/** Queues a start: its row stands in the tree until a slot is free, and can be cancelled there. */
export const startWhenFree: Command = async (surface, argument) => {
  const choice = await chooseType(surface, argument);
  if (choice === undefined) {
    return undefined;
  }
  const { host, type } = choice;
  const queued = await host.enqueue({ type, requestedBy: 'vscode' });
  if (!queued.ok) {
    return queued.error;
  }
  surface.log.info(`Queued ${type} as ${queued.value.id}.`);
  return undefined;
};
