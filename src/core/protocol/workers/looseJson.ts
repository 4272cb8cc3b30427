import { fail, ok, type Result } from '../../base/result';

/** Deeper documents are refused, so that nothing that walks one later can overflow the stack. */
const MAX_DEPTH = 100;

const UNSAFE_KEYS = ['__proto__', 'constructor', 'prototype'];

/**
 * JSON as models write it: a byte order mark, comments outside strings and a code fence around it are taken off
 * (workers.md §4.11), `__proto__`, `constructor` and `prototype` keys are dropped (§4.14). Never throws; a refusal is
 * a phrase that goes on after the file's name, e.g. `is empty`.
 */
export function parseLooseJson(text: string): Result<unknown, string> {
  const plain = text.replace(/^\uFEFF/, '');
  if (plain.trim() === '') {
    return fail('is empty');
  }
  if (/^\0+$/.test(plain)) {
    return fail('holds only zero bytes, as a torn write leaves behind');
  }
  const parsed = parse(plain) ?? parse(withoutComments(unfenced(plain)));
  if (parsed === null) {
    return fail('is not valid JSON; it may be cut off or still being written');
  }
  return dropUnsafeKeys(parsed.value) ? ok(parsed.value) : fail(`is nested deeper than ${String(MAX_DEPTH)} levels`);
}

function parse(text: string): { readonly value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    // What the engine says about the place differs between versions and may quote the file: the caller gets our words.
    return null;
  }
}

/** The inside of the first code fence, or the whole text where there is none. */
function unfenced(text: string): string {
  const opening = /^[ \t]*```[^\n]*\n/m.exec(text);
  if (opening === null) {
    return text;
  }
  const inside = text.slice(opening.index + opening[0].length);
  const closing = /^[ \t]*```/m.exec(inside);
  return closing === null ? inside : inside.slice(0, closing.index);
}

/** Linear on purpose: a pattern over whole strings would backtrack without end on a hostile file. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  for (let at = 0; at < text.length; ) {
    const comment = text.startsWith('//', at) || text.startsWith('/*', at);
    const end = tokenEnd(text, at);
    kept.push(comment ? ' ' : text.slice(at, end));
    at = end;
  }
  return kept.join('');
}

/** Where the string, the comment or the stretch of neither that begins at `at` is over. */
function tokenEnd(text: string, at: number): number {
  if (text[at] === '"') {
    return stringEnd(text, at);
  }
  if (text.startsWith('//', at)) {
    return endOf(text, '\n', at);
  }
  if (text.startsWith('/*', at)) {
    return endOf(text, '*/', at + 2);
  }
  const next = /["/]/g;
  next.lastIndex = at + 1;
  return next.exec(text)?.index ?? text.length;
}

function stringEnd(text: string, at: number): number {
  for (let inside = at + 1; inside < text.length; inside += 1) {
    if (text[inside] === '"') {
      return inside + 1;
    }
    inside += text[inside] === '\\' ? 1 : 0;
  }
  return text.length;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

/** Walks with a list of its own, because the depth of `root` is not known yet. False where it is too deep. */
function dropUnsafeKeys(root: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) {
      continue;
    }
    if (depth >= MAX_DEPTH) {
      return false;
    }
    for (const key of UNSAFE_KEYS) {
      Reflect.deleteProperty(value, key);
    }
    for (const child of Object.values(value)) {
      open.push({ value: child, depth: depth + 1 });
    }
  }
  return true;
}
