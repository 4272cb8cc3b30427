import { asciiJson } from '../events/asciiJson';
import type { SessionMoment } from './sessionMoment';

/** The text of `agent-status.json` (actors.md §1): derived from the log alone, ASCII. */
export function agentStatusDocument({ agents }: SessionMoment): string {
  const rows = [...agents].map(([name, { state, process, lastEvent, lastEventAt }]) => [
    name,
    { state: state ?? 'stopped', pid: process?.pid ?? null, lastEvent, lastEventTime: lastEventAt },
  ]);
  return `${asciiJson(Object.fromEntries(rows) as object)}\n`;
}
