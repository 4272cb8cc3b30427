import * as vscode from 'vscode';
import type { HostApi } from '../../../core/host/api';
import { noticeText } from '../../../core/presenter/plainText';
import { type Asked, askText } from '../../session/askText';
import { withAbout, withoutAbout } from '../../session/aboutDraft';
import { messageFrom, type Written, workFrom, type WrittenOrder } from '../../session/writtenOrder';
import type { Surface } from '../../surface';
import type { Command, CommandOutcome } from '../registerCommand';
import { finish } from './finish';

/** An order with the words that ask for its text. */
export interface Writing {
  readonly order: WrittenOrder;
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  /** What the tab of its editor says. */
  readonly tab: string;
  /** What stands above the text in its editor; it is not sent. */
  readonly about?: string;
}

function goneRefusal(): CommandOutcome {
  return { code: 'not-found', message: vscode.l10n.t('The folder of this text is no longer open. Open it again.') };
}

async function send(
  surface: Surface,
  { host, to, written }: { readonly host: HostApi; readonly to: string; readonly written: Written },
): Promise<CommandOutcome> {
  if (written === 'empty') {
    return { code: 'failed', message: vscode.l10n.t('There is nothing to send yet. Write it first.') };
  }
  if (written === 'no-object') {
    const message = vscode.l10n.t('The payload of this type must be one JSON object, like {"key": "value"}.');
    return { code: 'failed', message };
  }
  return finish(surface, await host.session.send({ ...written, to, requestedBy: 'vscode' }));
}

/** Does what a text was written for. */
async function carryOut(surface: Surface, order: WrittenOrder, text: string): Promise<CommandOutcome> {
  const host = surface.fleet.hostOf(order.root);
  if (host === undefined) {
    return goneRefusal();
  }
  switch (order.kind) {
    case 'answer': {
      const answer = withoutAbout(text);
      return answer === ''
        ? await send(surface, { host, to: '', written: 'empty' })
        : finish(surface, await host.session.answer({ item: order.item, text: answer, requestedBy: 'vscode' }));
    }
    case 'assign':
      return await send(surface, { host, to: order.to, written: workFrom(text, new Date()) });
    case 'send':
      return await send(surface, { host, to: order.to, written: messageFrom(order.type, text) });
  }
}

/** Asks for the text in a box, or goes on in an editor, from where it is sent later. */
export async function write(surface: Surface, { order, tab, about, ...texts }: Writing): Promise<CommandOutcome> {
  const asked: Asked | undefined = await askText(texts);
  if (asked === undefined) {
    return undefined;
  }
  if (asked.where === 'editor') {
    await surface.drafts.write(order, tab, about === undefined ? asked.text : withAbout(about, asked.text));
    return undefined;
  }
  return await carryOut(surface, order, asked.text);
}

/** Sends the draft in the editor that has the focus, and closes it. A refused one stays as it is. */
export const sendDraft: Command = async (surface) => {
  const draft = surface.drafts.active();
  if (draft === undefined) {
    return undefined;
  }
  const refusal = await carryOut(surface, draft.order, draft.document.getText());
  if (refusal === undefined) {
    await surface.drafts.close(draft);
    void vscode.window.setStatusBarMessage(noticeText(vscode.l10n.t('Sent.')), 3_000);
  }
  return refusal;
};
