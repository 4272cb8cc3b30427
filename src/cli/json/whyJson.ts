import type { AgentWhyReport } from '../../core/host/whyAgent';
import type { WhyReport } from '../../core/host/whyWorker';
import { agentActions } from '../../core/presenter/agents/agentActions';
import { nextActions } from '../../core/presenter/nextActions';
import { plainLog } from '../../core/presenter/plainText';
import { plainEnglish } from '../../core/presenter/words';
import { SCHEMA } from './schema';
import { evidenceJson } from './evidenceJson';

/** `why --json` of surfaces.md; `at` is the instant of the look, epoch milliseconds, from which ages are counted. */
export function whyJson({ worker, lastLines }: WhyReport, at: number): object {
  const { workerId, state, exit, evidence } = worker;
  return {
    schema: SCHEMA,
    id: workerId,
    state,
    class: exit?.class ?? null,
    exit: exit === null ? null : exitJson(exit),
    lastLines: lastLines.map(plainLog),
    evidence: evidence.map((one) => evidenceJson(one, at)),
    actions: nextActions(worker, plainEnglish),
  };
}

/** The same of a session agent; its id is its name. */
export function whyAgentJson({ agent, lastLines }: AgentWhyReport, at: number): object {
  const { name, state, exit, evidence } = agent;
  return {
    schema: SCHEMA,
    id: name,
    state,
    class: exit?.class ?? null,
    exit: exit === null ? null : exitJson(exit),
    lastLines: lastLines.map(plainLog),
    evidence: evidence.map((one) => evidenceJson(one, at)),
    actions: agentActions(agent, plainEnglish),
  };
}

function exitJson({ code, signal, at, requestedBy, forced }: NonNullable<WhyReport['worker']['exit']>): object {
  return { code, signal, at, requestedBy, forced };
}
