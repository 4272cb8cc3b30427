import type { SendRequest } from '../../core/host/api';

/** What a text that the person writes is for. */
export type WrittenOrder =
  | { readonly kind: 'answer'; readonly root: string; readonly item: string }
  | { readonly kind: 'assign'; readonly root: string; readonly to: string }
  | { readonly kind: 'send'; readonly root: string; readonly to: string; readonly type: string };

/** A message without its recipient, or why the text makes none. */
export type Written = Pick<SendRequest, 'type' | 'payload'> | 'empty' | 'no-object';

/** `task-20260301-143022`: a name for a task that a person can say aloud. */
export function newTaskId(now: Date): string {
  const digits = now.toISOString().replace(/[-:]/g, '');
  return `task-${digits.slice(0, 8)}-${digits.slice(9, 15)}`;
}

/** Work for an agent (actors.md §4): the first line is its title, the rest its description. */
export function workFrom(text: string, now: Date): Written {
  const [title = '', ...rest] = text.trim().split('\n');
  if (title === '') {
    return 'empty';
  }
  const payload = {
    taskId: newTaskId(now),
    workType: 'task',
    title: title.replace(/^#+\s*/, ''),
    description: rest.join('\n').trim(),
    acceptanceCriteria: [],
  };
  return { type: 'WorkAssign', payload };
}

/** A message of a type with the payload that the document gives it; for all but the plain ones the text is the payload. */
export function messageFrom(type: string, text: string): Written {
  const words = text.trim();
  if (words === '') {
    return 'empty';
  }
  switch (type) {
    case 'Query':
      return { type, payload: { question: words, context: '' } };
    case 'System':
      return { type, payload: { systemEvent: 'info', message: words } };
    case 'PlanUpdate':
      return { type, payload: { message: words } };
    default:
      return customFrom(type, words);
  }
}

function customFrom(type: string, text: string): Written {
  try {
    const payload: unknown = JSON.parse(text);
    const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
    return isObject ? { type, payload: payload as Readonly<Record<string, unknown>> } : 'no-object';
  } catch {
    // Not JSON at all: told in the same words.
    return 'no-object';
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Reads an order that was written as JSON; null when it is none. */
export function readOrder(json: string): WrittenOrder | null {
  try {
    const { kind, root, item, to, type } = JSON.parse(json) as Partial<Record<string, unknown>>;
    if (kind === 'answer' && isText(root) && isText(item)) {
      return { kind, root, item };
    }
    if (kind === 'assign' && isText(root) && isText(to)) {
      return { kind, root, to };
    }
    return kind === 'send' && isText(root) && isText(to) && isText(type) ? { kind, root, to, type } : null;
  } catch {
    // A document that somebody else opened under our scheme.
    return null;
  }
}
