import { agentDescription } from '../../core/presenter/agents/agentDescription';
import { needsOf } from '../../core/presenter/needs';
import { plainLine } from '../../core/presenter/plainText';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { tableLines } from '../../core/protocol/workers/textTable';
import { terminalReader } from './terminalReader';

const AGENTS = [
  { title: 'Agent', width: 18 },
  { title: 'State', width: 0 },
];

/** The session with its agents, as `session status` and `status` print it. No final newline. */
export function sessionText(snapshot: FleetSnapshot): string {
  const { session, at, leader } = snapshot;
  if (session === null) {
    return 'No session agents are configured here. Add them under "agents" in .vscode/workers.json.';
  }
  const { agents, running, mode, turn } = session;
  const head = running ? `The session runs (${mode}).` : 'No session runs.';
  const turnLine = turn === null ? [] : [`Turn ${String(turn.iteration)}: ${turn.agent} (${turn.status}).`];
  const rows = agents.map((agent) => [agent.name, plainLine(agentDescription(agent, terminalReader(at)), 120)]);
  const open = needsOf(snapshot).length;
  const inboxLine = open === 0 ? [] : [`${String(open)} in the inbox: see \`rollcall inbox\`.`];
  const unled = running && leader === null ? ['Nobody leads this project: let `rollcall session start` go on.'] : [];
  return [head, ...turnLine, ...tableLines(AGENTS, rows), ...inboxLine, ...unled].join('\n');
}
