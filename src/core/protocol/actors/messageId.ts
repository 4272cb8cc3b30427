import type { RandomHex } from '../../base/randomId';

/**
 * A new id, `msg-<UTC yyyyMMdd-HHmmss>-<16 hex digits>`: no two are alike, and PowerShell takes none of them for a date
 * (actors.md §3). `now` is epoch milliseconds.
 */
export function newMessageId(now: number, randomHex: RandomHex): string {
  const digits = new Date(now).toISOString().replace(/[-:]/g, '');
  return `msg-${digits.slice(0, 8)}-${digits.slice(9, 15)}-${randomHex(8)}`;
}
