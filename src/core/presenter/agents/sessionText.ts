import type { FleetSnapshot } from '../../protocol/snapshot';
import { tableLines } from '../../protocol/workers/textTable';
import { needsOf } from '../needs';
import { plainLine } from '../plainText';
import type { Reader } from '../words';
import { agentDescription } from './agentDescription';

const AGENTS = [
  { title: 'Agent', width: 18 },
  { title: 'State', width: 0 },
];

/**
 * The session with its agents, as `session status`, `status` and VS Code's *Status* show it; `inboxPlace` is where the
 * reader finds what waits for them. No final newline.
 */
export function sessionText(snapshot: FleetSnapshot, reader: Reader, inboxPlace: string): string {
  const { session, leader } = snapshot;
  if (session === null) {
    return 'No session agents are configured here. Add them under "agents" in .vscode/workers.json.';
  }
  const { agents, running, mode, turn } = session;
  const head = running ? `The session runs (${mode}).` : 'No session runs.';
  const turnLine = turn === null ? [] : [`Turn ${String(turn.iteration)}: ${turn.agent} (${turn.status}).`];
  const rows = agents.map((agent) => [agent.name, plainLine(agentDescription(agent, reader), 120)]);
  const open = needsOf(snapshot).length;
  const inboxLine = open === 0 ? [] : [`${String(open)} in the inbox: see ${inboxPlace}.`];
  const unled = running && leader === null ? ['Nobody leads this project: let `rollcall session start` go on.'] : [];
  return [head, ...turnLine, ...tableLines(AGENTS, rows), ...inboxLine, ...unled].join('\n');
}
