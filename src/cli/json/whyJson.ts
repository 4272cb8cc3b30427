import type { AgentWhyReport } from '../../core/host/whyAgent';
import type { WhyReport } from '../../core/host/whyWorker';
import { agentActions } from '../../core/presenter/agents/agentActions';
import { nextActions } from '../../core/presenter/nextActions';
import { outputPath } from '../../core/presenter/outputPath';
import { plainLog } from '../../core/presenter/plainText';
import { plainEnglish } from '../../core/presenter/words';
import { SCHEMA } from './schema';
import { messageJson } from './sessionJson';
import { evidenceJson } from './evidenceJson';

/** `why --json` of surfaces.md, with the whole paths of its output files; `at` is the instant of the look, epoch milliseconds, from which ages are counted. */
export function whyJson({ worker, lastLines }: WhyReport, at: number): object {
  const { workerId, state, exit, evidence } = worker;
  return {
    schema: SCHEMA,
    id: workerId,
    state,
    class: exit?.class ?? null,
    exit: exit === null ? null : exitJson(exit),
    outputs: worker.outputs.map((name) => outputPath(worker, name)),
    filesWritten: worker.engine?.files ?? [],
    lastLines: lastLines.map(plainLog),
    evidence: evidence.map((one) => evidenceJson(one, at)),
    actions: nextActions(worker, plainEnglish),
  };
}

/** The same of a session agent, with its newest messages; its id is its name. */
export function whyAgentJson({ agent, lastLines }: AgentWhyReport, at: number): object {
  const { name, state, exit, evidence } = agent;
  return {
    schema: SCHEMA,
    id: name,
    state,
    class: exit?.class ?? null,
    exit: exit === null ? null : exitJson(exit),
    messages: agent.messages.map(messageJson),
    filesWritten: agent.engine?.files ?? [],
    lastLines: lastLines.map(plainLog),
    evidence: evidence.map((one) => evidenceJson(one, at)),
    actions: agentActions(agent, plainEnglish),
  };
}

function exitJson({ code, signal, at, requestedBy, forced }: NonNullable<WhyReport['worker']['exit']>): object {
  return { code, signal, at, requestedBy, forced };
}
