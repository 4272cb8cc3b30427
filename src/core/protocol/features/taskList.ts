import { readRecord, textAt, textsAt } from './jsonFields';

/** An item of a task agent's list, `~/.claude/tasks/{list}/{n}.json`. */
export interface TaskListItem {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly status: string;
  readonly blockedBy: readonly string[];
}

/** Reads one item; `nameId` is the number in the file's name. Null where it is none. Never throws. */
export function readTaskListItem(text: string, nameId: string): TaskListItem | null {
  const record = readRecord(text);
  const subject = record === null ? null : textAt(record, 'subject');
  return record === null || subject === null
    ? null
    : {
        id: textAt(record, 'id') ?? nameId,
        subject,
        description: textAt(record, 'description') ?? '',
        status: textAt(record, 'status') ?? 'unknown',
        blockedBy: textsAt(record, 'blockedBy') ?? [],
      };
}

/** Level and title of an item `[L<n>] title`; null for any other, such as `[Plan] …` (features.md §2). */
export function leveledTitle({ subject }: TaskListItem): { readonly level: number; readonly title: string } | null {
  const [, level, title] = /^\s*\[L(\d{1,6})\]\s*(.*?)\s*$/.exec(subject) ?? [];
  return level === undefined || title === undefined ? null : { level: Number(level), title };
}

/** The status in the words of a state; the description's text changes none. */
export function statusOfItem({ status, blockedBy }: TaskListItem): string {
  if (status === 'completed') {
    return 'complete';
  }
  return status === 'pending' && blockedBy.length > 0 ? 'blocked' : status;
}

/** Whether a text names a feature as a word of its own: `auth` is not named by `user-auth`. */
export function namesFeature(text: string, feature: string): boolean {
  for (let at = text.indexOf(feature); at !== -1; at = text.indexOf(feature, at + 1)) {
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + feature.length])) {
      return true;
    }
  }
  return false;
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character);
}
