import * as vscode from 'vscode';
import type { HostApi } from '../../core/host/api';
import { queuedNode } from '../../core/presenter/queuedNode';
import { reader } from '../reader';
import type { Surface } from '../surface';
import type { Command } from './registerCommand';

/** A queued start together with the host that knows it. */
interface HostedStart {
  readonly host: HostApi;
  readonly queueId: string;
}

async function ask(surface: Surface): Promise<HostedStart | undefined> {
  const now = reader();
  const items = surface.fleet.hosts.flatMap((host) =>
    host.getSnapshot().queue.map((start, index) => {
      const { label, description } = queuedNode({ root: host.root, start, place: index + 1 }, now);
      return { label: `$(circle-outline) ${label}`, description, hosted: { host, queueId: start.id } };
    }),
  );
  const placeHolder = vscode.l10n.t('Which queued start shall be cancelled?');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.hosted;
}

function startOf(surface: Surface, argument: string): HostedStart | undefined {
  const node = surface.workers.nodeOf(argument);
  const host = node === undefined ? surface.fleet.hosts[0] : surface.fleet.hostOf(node.root);
  return host === undefined ? undefined : { host, queueId: node?.queueId ?? argument };
}

/** Takes a queued start back: that of a row, one named by its id, or the one that the person picks. */
export const cancelQueued: Command = async (surface, argument) => {
  const start = typeof argument === 'string' ? startOf(surface, argument) : await ask(surface);
  const taken = await start?.host.dequeue(start.queueId);
  return taken?.ok === false ? taken.error : undefined;
};
