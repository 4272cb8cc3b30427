import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerType } from '../protocol/workers/workerType';
import { readBounded } from '../system/boundedRead';
import { confinedPath } from '../system/safePath';

/** A template is read by a model; beyond this size it is not a template. */
const TEMPLATE_MAX_BYTES = 1024 * 1024;
const PROJECT_FOLDERS = ['lib/worker-templates', '.claude/lib/worker-templates'];

export type TemplateReading =
  | { readonly kind: 'ok'; readonly text: string; readonly path: string }
  /** `looked`: where it was searched, project-relative or absolute. */
  | { readonly kind: 'absent'; readonly looked: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

export interface TemplateRequest {
  readonly root: string;
  /** Folder of the templates that we ship. */
  readonly ownTemplatesDir: string;
  readonly type: WorkerType & { readonly template: string };
}

/**
 * Finds a type's template: the project's `lib/worker-templates/`, its `.claude/lib/worker-templates/`, then ours
 * (workers.md §2). The template of an own type is a path of the project and nothing else. A template that leads out of
 * the project is refused, not skipped, so that nobody runs another one by surprise.
 */
export async function findTemplate({ root, ownTemplatesDir, type }: TemplateRequest): Promise<TemplateReading> {
  const own = type.source === 'workers.json';
  const candidates = own ? [type.template] : PROJECT_FOLDERS.map((folder) => `${folder}/${type.template}`);
  for (const candidate of candidates) {
    const found = await readProjectFile(root, candidate);
    if (found !== null) {
      return found;
    }
  }
  if (own) {
    return { kind: 'absent', looked: candidates };
  }
  const shipped = join(ownTemplatesDir, type.template);
  return (await readTemplate(shipped)) ?? { kind: 'absent', looked: [...candidates, shipped] };
}

async function readProjectFile(root: string, candidate: string): Promise<TemplateReading | null> {
  const confined = await confinedPath(root, candidate);
  if (!confined.ok) {
    return { kind: 'refused', reason: `${confined.error} Put the template itself there.` };
  }
  return await readTemplate(confined.value);
}

async function readTemplate(path: string): Promise<TemplateReading | null> {
  const real = await realpathOrNull(path);
  if (real === null) {
    return null;
  }
  const reading = await readBounded(real, TEMPLATE_MAX_BYTES);
  switch (reading.kind) {
    case 'ok':
      return { kind: 'ok', text: reading.text, path };
    case 'absent':
      return null;
    case 'too-large':
      return { kind: 'refused', reason: `${path} is larger than 1 MiB. Shorten the template.` };
    case 'not-a-file':
      return { kind: 'refused', reason: `${path} is not a regular file. Put the template itself there.` };
    case 'unreadable':
      return { kind: 'refused', reason: `${path} cannot be read (${reading.code}). Make it readable for your user.` };
  }
}

async function realpathOrNull(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    // Nothing there that could be resolved, which is the usual case on the search path.
    return null;
  }
}
