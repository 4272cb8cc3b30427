import type { GarbageReport } from '../../core/host/api';
import { formatDuration } from '../../core/presenter/formatDuration';

/** What was done with the folders of a report. */
export type GarbageDeed = 'listed' | 'moved' | 'restored';

const NOTHING: Readonly<Record<GarbageDeed, string>> = {
  listed: 'No worker folder is old enough to go.',
  moved: 'No worker folder is old enough to go.',
  restored: 'There is nothing to put back.',
};

/** The folders with their ages, what was done with them, and the next step. No final newline. */
export function garbageText(deed: GarbageDeed, { folders, trash }: GarbageReport, now: number): string {
  if (folders.length === 0) {
    return NOTHING[deed];
  }
  const rows = folders.map(({ workerId, changedAt }) => `  ${workerId}  ${formatDuration(now - changedAt)} old`);
  const count = folders.length === 1 ? '1 worker folder' : `${String(folders.length)} worker folders`;
  const it = folders.length === 1 ? 'it' : 'them';
  switch (deed) {
    case 'listed':
      return [`${count} can go:`, ...rows, `Use \`rollcall gc --apply\` to move ${it} into the trash.`].join('\n');
    case 'moved':
      return [`Moved ${count} to ${trash ?? ''}:`, ...rows, `Use \`rollcall gc --undo\` to put ${it} back.`].join('\n');
    case 'restored':
      return [`Put ${count} back:`, ...rows].join('\n');
  }
}
