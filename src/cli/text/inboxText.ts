import type { Snoozed } from '../../core/host/api';
import { plainLine } from '../../core/presenter/plainText';
import { comingTime } from '../../core/presenter/rowWords';
import type { Reader } from '../../core/presenter/words';
import { tableLines } from '../../core/protocol/workers/textTable';
import type { FleetItem } from '../fleetInbox';

const ITEMS = [
  { title: 'ID', width: 14 },
  { title: 'From', width: 18 },
  { title: 'Kind', width: 12 },
  { title: 'Text', width: 0 },
];

const SNOOZED = [{ title: 'Till', width: 6 }, ...ITEMS];

/**
 * What waits for a person, oldest first, how to answer what can be answered, and that more was put off. No final newline.
 */
export function inboxText(items: readonly FleetItem[], snoozed: readonly FleetItem[], reader: Reader): string {
  const table = items.length === 0 ? ['The inbox is empty.'] : tableLines(ITEMS, items.map(cells));
  return [...table, ...hints(items), ...snoozedHint(snoozed, reader)].join('\n');
}

/** What a person has put off; what comes back first stands first. No final newline. */
export function snoozedText(snoozed: readonly FleetItem[], reader: Reader): string {
  if (snoozed.length === 0) {
    return 'Nothing is snoozed.';
  }
  const rows = snoozed.map((item) => [comingTime(item.snoozedUntil ?? 0, reader), ...cells(item)]);
  return [...tableLines(SNOOZED, rows), 'Use `rollcall inbox unsnooze <ID>` to have it back now.'].join('\n');
}

/** What was put off just now, and what happens to it meanwhile. */
export function snoozedWords({ item, until, deniedAt }: Snoozed, reader: Reader): string {
  if (until <= reader.now) {
    return `${item} is back in the inbox.`;
  }
  const denied =
    deniedAt !== null && deniedAt < until
      ? ` It is denied at ${comingTime(deniedAt, reader)} already, unless you answer.`
      : '';
  return `${item} is snoozed till ${comingTime(until, reader)}.${denied}`;
}

function cells({ id, from, kind, text, copy }: FleetItem): readonly string[] {
  return [id, from, copy ? `${kind} (copy)` : kind, plainLine(text)];
}

function hints(items: readonly FleetItem[]): readonly string[] {
  const has = (kind: string): boolean => items.some((item) => item.kind === kind);
  return [
    ...(has('permission') ? ['Use `rollcall allow <ID>` or `rollcall deny <ID> [reason]`.'] : []),
    ...(has('fuse') ? ['Use `rollcall fuse reset <ID>`.'] : []),
    ...(has('question') ? ['Use `rollcall answer <ID> <text>`.'] : []),
  ];
}

function snoozedHint([next, ...others]: readonly FleetItem[], reader: Reader): readonly string[] {
  const back = comingTime(next?.snoozedUntil ?? 0, reader);
  return next === undefined
    ? []
    : [`${String(others.length + 1)} snoozed, the next is back at ${back}: see \`rollcall inbox --snoozed\`.`];
}
