import type { EventLine } from '../protocol/events/eventLine';
import { plainLine } from './plainText';

type Data = EventLine['data'];

/**
 * An event in one line for a person: `2026-03-01T14:30:22.000Z  #12  WorkerStateChanged  wkr-…  starting → running
 * (spawned)`. Events of unknown types show their data as they are.
 */
export function eventText({ seq, type, timestamp, data }: EventLine): string {
  const { worker, ...rest } = data;
  const parts = [timestamp, `#${String(seq)}`, type, word(worker), detailOf(type, rest)];
  return parts
    .filter((part) => part !== '')
    .map((part) => plainLine(part))
    .join('  ');
}

function detailOf(type: string, data: Data): string {
  switch (type) {
    case 'WorkerStateChanged':
      return `${word(data['from']) === '' ? 'new' : word(data['from'])} → ${word(data['to'])} (${word(data['event'])})`;
    case 'WorkerExited':
      return exitText(data['exit']);
    default:
      return Object.entries(data)
        .filter(([, value]) => value !== null && value !== false)
        .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ');
  }
}

function exitText(exit: unknown): string {
  const { class: kind, code, signal } = (exit ?? {}) as Data;
  const how = typeof signal === 'string' ? signal : typeof code === 'number' ? `exit ${String(code)}` : '';
  return [word(kind), how].filter((part) => part !== '').join(', ');
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
