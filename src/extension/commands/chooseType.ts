import * as vscode from 'vscode';
import type { HostApi } from '../../core/host/api';
import { plainLine } from '../../core/presenter/plainText';
import { folderName } from '../../core/presenter/toTree';
import type { WorkerType } from '../../core/protocol/workers/workerType';
import type { Surface } from '../surface';

const MEMORY_KEY = 'lastType';

/** A type of one root that shall start. */
export interface StartChoice {
  readonly host: HostApi;
  readonly type: string;
}

/** A choice that was made already, as a command's argument. */
export interface ChosenType {
  readonly root: string;
  readonly type: string;
}

interface TypeItem extends vscode.QuickPickItem {
  readonly choice: StartChoice;
}

function typeItem(host: HostApi, type: WorkerType, several: boolean): TypeItem {
  const place = several ? ` · ${folderName(host.root)}` : '';
  return {
    label: plainLine(type.name, 60),
    description: `${type.model === 'none' ? '' : plainLine(type.model, 30)}${place}`,
    detail: plainLine(type.description),
    choice: { host, type: type.name },
  };
}

async function typeItems({ fleet, memory }: Surface): Promise<readonly TypeItem[]> {
  const { hosts } = fleet;
  const items = await Promise.all(
    hosts.map(async (host) => (await host.listTypes()).map((type) => typeItem(host, type, hosts.length > 1))),
  );
  const last = memory.get<string>(MEMORY_KEY);
  return items.flat().toSorted((a, b) => Number(b.choice.type === last) - Number(a.choice.type === last));
}

function isChosen(argument: unknown): argument is ChosenType {
  return typeof argument === 'object' && argument !== null && 'root' in argument && 'type' in argument;
}

function choiceOf(surface: Surface, argument: string | ChosenType): StartChoice | undefined {
  if (typeof argument !== 'string') {
    const host = surface.fleet.hostOf(argument.root);
    return host === undefined ? undefined : { host, type: argument.type };
  }
  const node = surface.types.nodeOf(argument);
  const host = node === undefined ? surface.fleet.hosts[0] : surface.fleet.hostOf(node.root);
  return host === undefined ? undefined : { host, type: node?.label ?? argument };
}

/**
 * The type that a command shall start: a row of the types view, a name, a choice that was made already, or whatever the
 * person picks. The last one is remembered and stands first.
 */
export async function chooseType(surface: Surface, argument: unknown): Promise<StartChoice | undefined> {
  const choice =
    typeof argument === 'string' || isChosen(argument)
      ? choiceOf(surface, argument)
      : (
          await vscode.window.showQuickPick(typeItems(surface), {
            placeHolder: vscode.l10n.t('Which worker shall start?'),
            matchOnDescription: true,
            matchOnDetail: true,
          })
        )?.choice;
  if (choice !== undefined) {
    await surface.memory.update(MEMORY_KEY, choice.type);
  }
  return choice;
}
