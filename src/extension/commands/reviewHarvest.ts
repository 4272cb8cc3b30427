import { join } from 'node:path';
import * as vscode from 'vscode';
import { plainLine } from '../../core/presenter/plainText';
import { hasHarvest } from '../../core/presenter/workerRow';
import {
  HARVEST_DELTA,
  type HarvestSection,
  holdsSection,
  parseHarvestDelta,
  planHarvest,
} from '../../core/protocol/workers/harvestDelta';
import { type HostedWorker, pickWorker } from './pickWorker';
import type { Command } from './registerCommand';

/** Says in words how to take sections over: it is offered, but not picked beforehand. */
const INSTRUCTIONS = 'Application Instructions';

/** Pieces say where they belong; sections say the same at more length, so they are picked only where there is no piece. */
function isPickedFirst(section: HarvestSection, all: readonly HarvestSection[]): boolean {
  const hasPieces = all.some(({ kind }) => kind === 'piece');
  return hasPieces ? section.kind === 'piece' : section.title !== INSTRUCTIONS;
}

interface Review {
  readonly workerId: string;
  readonly harvest: vscode.Uri;
  readonly sections: readonly HarvestSection[];
}

async function existing(file: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    await vscode.workspace.fs.stat(file);
  } catch {
    // A project's first harvest has no file to go into yet.
    return undefined;
  }
  return await vscode.workspace.openTextDocument(file);
}

async function openBeside({ host, worker }: HostedWorker): Promise<Review> {
  const harvest = vscode.Uri.file(join(host.root, 'TOOLKIT_HARVEST.md'));
  const delta = await vscode.workspace.openTextDocument(join(worker.folder, 'output', HARVEST_DELTA));
  const present = await existing(harvest);
  if (present !== undefined) {
    await vscode.window.showTextDocument(present, { viewColumn: vscode.ViewColumn.One, preview: false });
  }
  const viewColumn = present === undefined ? vscode.ViewColumn.One : vscode.ViewColumn.Two;
  await vscode.window.showTextDocument(delta, { viewColumn, preserveFocus: true });
  return { workerId: worker.workerId, harvest, sections: parseHarvestDelta(delta.getText()) };
}

/** The words of a section without its marks; the second line goes on where the first one ends. */
function wordsOf({ title, body }: HarvestSection): { readonly label: string; readonly detail: string } {
  const plain = (text: string): string =>
    plainLine(text.replaceAll(/(^|\n)\s*[-*+] /g, '$1').replaceAll('**', ''), 400);
  const [name, words] = [plain(title), plain(body)];
  const rest = words.startsWith(name) ? words.slice(name.length).replace(/^[\s:–—-]+/, '') : words;
  return { label: plainLine(name, 80), detail: plainLine(rest, 160) };
}

async function chooseSections({ workerId, harvest, sections }: Review): Promise<readonly HarvestSection[]> {
  const text = (await existing(harvest))?.getText() ?? '';
  const items = sections
    .filter((section) => !holdsSection(text, section, workerId))
    .map((section) => ({
      ...wordsOf(section),
      description: plainLine(section.parent ?? '', 80),
      picked: isPickedFirst(section, sections),
      section,
    }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('TOOLKIT_HARVEST.md holds all of this proposal already.'));
    return [];
  }
  const placeHolder = vscode.l10n.t('Which sections shall go into TOOLKIT_HARVEST.md?');
  const chosen = await vscode.window.showQuickPick(items, { placeHolder, canPickMany: true, matchOnDetail: true });
  return (chosen ?? []).map(({ section }) => section);
}

/** One edit, which one undo takes back; the file stays unsaved until the person has looked at it. */
async function takeOver({ workerId, harvest }: Review, sections: readonly HarvestSection[]): Promise<boolean> {
  const document = await existing(harvest);
  const old = document?.getText() ?? '';
  const { text } = planHarvest(old, sections, workerId);
  const edit = new vscode.WorkspaceEdit();
  if (document === undefined) {
    edit.createFile(harvest, { ignoreIfExists: true });
    edit.insert(harvest, new vscode.Position(0, 0), text);
  } else {
    edit.replace(harvest, new vscode.Range(document.positionAt(0), document.positionAt(old.length)), text);
  }
  const done = await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(harvest, { viewColumn: vscode.ViewColumn.One, preview: false });
  return done;
}

/** Shows a worker's proposal beside TOOLKIT_HARVEST.md and takes over the sections that the person picks. */
export const reviewHarvest: Command = async (surface, argument) => {
  const placeHolder = vscode.l10n.t('Whose proposal?');
  const picked = await pickWorker(surface, argument, { placeHolder, suits: hasHarvest });
  if (picked.kind !== 'found') {
    return picked.kind === 'refused' ? picked.refusal : undefined;
  }
  if (!hasHarvest(picked.worker)) {
    const { workerId } = picked.worker;
    return {
      code: 'wrong-state',
      message: vscode.l10n.t('{0} left no harvest delta. Choose another worker.', workerId),
    };
  }
  const review = await openBeside(picked);
  const sections = await chooseSections(review);
  if (sections.length > 0 && !(await takeOver(review, sections))) {
    return { code: 'failed', message: vscode.l10n.t('TOOLKIT_HARVEST.md could not be edited. Is it read-only?') };
  }
  return undefined;
};
