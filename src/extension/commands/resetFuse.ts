import * as vscode from 'vscode';
import type { HostApi, Refusal } from '../../core/host/api';
import { fuseRow } from '../../core/presenter/fuseNode';
import { canResetFuse } from '../../core/presenter/workerRow';
import { fleetFuseNamed } from '../../core/protocol/fleetFuse';
import { reader } from '../reader';
import type { Surface } from '../surface';
import { themeIcon } from '../views/themeIcon';
import { pickWorker, workerItems } from './pickWorker';
import type { Command } from './registerCommand';

/** A blown fuse together with the host that knows it: of a worker by its id, of an agent or the whole project by its name. */
interface HostedFuse {
  readonly host: HostApi;
  readonly name: string;
}

type FuseItem = vscode.QuickPickItem & { readonly fuse?: HostedFuse };

function projectItems({ fleet }: Surface): readonly FuseItem[] {
  const now = reader();
  return fleet.hosts.flatMap((host) =>
    host.getSnapshot().fuses.map((fuse) => {
      const { label, description, icon } = fuseRow(fuse, now);
      return { label, description, iconPath: themeIcon(icon), fuse: { host, name: fuse.name } };
    }),
  );
}

function ofWorkers(surface: Surface): readonly FuseItem[] {
  return workerItems(surface, canResetFuse).map(({ hosted, ...item }) => ({
    ...item,
    fuse: { host: hosted.host, name: hosted.worker.workerId },
  }));
}

async function ask(surface: Surface): Promise<HostedFuse | undefined> {
  const items = [...projectItems(surface), ...ofWorkers(surface)];
  const none: FuseItem = { label: vscode.l10n.t('No fuse is blown') };
  const choice = await vscode.window.showQuickPick(items.length === 0 ? [none] : items, {
    placeHolder: vscode.l10n.t('Which fuse shall be reset?'),
    matchOnDescription: true,
  });
  return choice?.fuse;
}

/** The fuse of a tree's row or of an id, or the one that the person picks; a refusal where there is none. */
async function pickFuse(surface: Surface, argument: unknown): Promise<HostedFuse | Refusal | undefined> {
  if (typeof argument !== 'string') {
    return await ask(surface);
  }
  const node = surface.workers.nodeOf(argument);
  const item = node?.itemId ?? argument;
  const name = fleetFuseNamed(item) ?? (node?.kind === 'inbox' ? item : null);
  const host = surface.fleet.hosts.find(({ root }) => node === undefined || node.root === root);
  if (name !== null && host !== undefined) {
    return { host, name };
  }
  const picked = await pickWorker(surface, argument, { placeHolder: '', suits: canResetFuse });
  return picked.kind === 'found'
    ? { host: picked.host, name: picked.worker.workerId }
    : picked.kind === 'refused'
      ? picked.refusal
      : undefined;
}

/** Takes a blown fuse off the list of what needs the person; then its worker may be retried, or starts go on. */
export const resetFuse: Command = async (surface, argument) => {
  const picked = await pickFuse(surface, argument);
  if (picked === undefined || 'code' in picked) {
    return picked;
  }
  const outcome = await picked.host.resetFuse(picked.name);
  if (!outcome.ok) {
    return outcome.error;
  }
  surface.log.info(outcome.value.message);
  return undefined;
};
