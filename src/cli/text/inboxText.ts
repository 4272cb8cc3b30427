import { plainLine } from '../../core/presenter/plainText';
import { tableLines } from '../../core/protocol/workers/textTable';
import type { FleetItem } from '../fleetInbox';

const ITEMS = [
  { title: 'ID', width: 14 },
  { title: 'From', width: 18 },
  { title: 'Kind', width: 12 },
  { title: 'Text', width: 0 },
];

/** What waits for a person, oldest first, and how to answer what can be answered. No final newline. */
export function inboxText(items: readonly FleetItem[]): string {
  if (items.length === 0) {
    return 'The inbox is empty.';
  }
  const rows = items.map(({ id, from, kind, text, copy }) => [
    id,
    from,
    copy ? `${kind} (copy)` : kind,
    plainLine(text),
  ]);
  return [...tableLines(ITEMS, rows), ...hints(items)].join('\n');
}

function hints(items: readonly FleetItem[]): readonly string[] {
  const has = (kind: string): boolean => items.some((item) => item.kind === kind);
  return [
    ...(has('permission') ? ['Use `rollcall allow <ID>` or `rollcall deny <ID> [reason]`.'] : []),
    ...(has('fuse') ? ['Use `rollcall fuse reset <ID>`.'] : []),
    ...(has('question') ? ['Use `rollcall answer <ID> <text>`.'] : []),
  ];
}
