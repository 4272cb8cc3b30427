/** What stands before the sentence that tells why a call failed, in the last lines of its log. */
const MARK = '[failed] ';

/** The line by which the process that carries out a call tells the leader why it failed. */
export function callTroubleLine(reason: string): string {
  return `${MARK}${reason.replace(/\s+/g, ' ').trim()}`;
}

/** The newest such sentence in the last lines of a call's log, or null. */
export function callTroubleIn(lines: readonly string[]): string | null {
  return lines.findLast((line) => line.startsWith(MARK))?.slice(MARK.length) ?? null;
}
