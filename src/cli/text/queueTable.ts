import { formatDuration } from '../../core/presenter/formatDuration';
import { plainLine } from '../../core/presenter/plainText';
import { queuedWords } from '../../core/presenter/queuedNode';
import { plainEnglish } from '../../core/presenter/words';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { tableLines } from '../../core/protocol/workers/textTable';

const COLUMNS = [
  { title: 'ID', width: 12 },
  { title: 'Type', width: 18 },
  { title: 'Place', width: 14 },
  { title: 'Waits', width: 0 },
];

/** The starts that wait for a free slot with the ages of their waits, and who starts them. No final newline. */
export function queueTable({ queue, at, leader }: FleetSnapshot): string {
  if (queue.length === 0) {
    return 'No starts are queued.';
  }
  const rows = queue.map(({ id, type, since }, index) => [
    plainLine(id, 40),
    type,
    queuedWords(index + 1, plainEnglish),
    formatDuration(at - since),
  ]);
  const rests = [
    '',
    'Nobody leads this project. Open it in a window, or let `rollcall start <type> --when-free` wait.',
  ];
  return [...tableLines(COLUMNS, rows), ...(leader === null ? rests : [])].join('\n');
}
