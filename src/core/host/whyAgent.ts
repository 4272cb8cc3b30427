import { fail, ok } from '../base/result';
import type { AgentSnapshot } from '../protocol/actors/sessionSnapshot';
import type { FleetSnapshot } from '../protocol/snapshot';
import { lastLines } from '../readers/lastLines';
import type { Outcome, Refusal } from './api';
import { LAST_LINES } from './whyWorker';

/** What is known about how a session agent came to be as it is. */
export interface AgentWhyReport {
  readonly agent: AgentSnapshot;
  /** The end of its readable log, oldest first. */
  readonly lastLines: readonly string[];
}

/** Gathers the report of the agent with this name; reads only. */
export async function whyAgent(name: string, { session }: FleetSnapshot): Promise<Outcome<AgentWhyReport>> {
  const agents = session?.agents ?? [];
  const agent = agents.find((one) => one.name === name);
  if (agent === undefined) {
    const known = agents.map((one) => one.name).join(', ');
    const message = `No agent is called ${name}. ${known === '' ? 'Add one to .vscode/workers.json.' : `Name one of ${known}.`}`;
    return fail<Refusal>({ code: 'not-found', message });
  }
  return ok({ agent, lastLines: await lastLines(agent.logFile, LAST_LINES) });
}
