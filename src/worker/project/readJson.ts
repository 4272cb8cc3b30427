import { parseLooseJson } from '../../core/protocol/workers/looseJson';
import type { BoundedText } from '../../core/system/boundedRead';
import type { ProjectReader } from './projectReader';

/** What a look for a JSON file found; `reason` completes the sentence "<file> …". */
export type JsonReading =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly reason: string };

/** Reads a JSON file tolerantly (byte order mark, comments, code fences), because models write them. */
export async function readJson(project: ProjectReader, file: string): Promise<JsonReading> {
  const text = await project.readText(file);
  if (text.kind === 'absent') {
    return { kind: 'absent' };
  }
  if (text.kind !== 'ok') {
    return { kind: 'bad', reason: whyUnread(text) };
  }
  const parsed = parseLooseJson(text.text);
  return parsed.ok ? { kind: 'ok', value: parsed.value } : { kind: 'bad', reason: parsed.error };
}

/** Why a file that is there could not be read; completes the sentence "<file> …". */
export function whyUnread(text: Exclude<BoundedText, { kind: 'ok' | 'absent' }>): string {
  switch (text.kind) {
    case 'too-large':
      return `is too large to read (${text.size} bytes)`;
    case 'not-a-file':
      return 'is not a regular file';
    case 'unreadable':
      return `cannot be read (${text.code})`;
  }
}
