import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import { stateWord } from '../stateWord';
import { engineFacts, evidenceText, exitText, type Fact, factTable } from '../workerTooltip';
import type { Reader } from '../words';

/** What is known about an agent, as names and values. */
function factsOf(agent: AgentSnapshot, reader: Reader): readonly Fact[] {
  const { t } = reader;
  const time = (at: number | null): string | null => (at === null ? null : reader.timeOfDay(at));
  return [
    [t('Agent'), agent.name],
    [t('State'), agent.state === null ? t('not started') : stateWord(agent.state, t)],
    [t('Problem'), agent.attention?.text ?? null],
    [t('Says'), agent.status],
    [t('Task'), agent.currentTask],
    [t('Mailbox'), agent.waiting === 0 ? null : t('{0} waiting', agent.waiting)],
    [t('Started'), time(agent.startedAt)],
    [t('Ended'), time(agent.endedAt)],
    [t('Exit'), exitText(agent, reader)],
    [t('Restart count'), agent.restarts === 0 ? null : t('{0} of {1}', agent.restarts, agent.maxRestarts)],
    [agent.state === 'parked' ? t('Goes on') : t('Restarts'), time(agent.nextRestartAt)],
    ...engineFacts(agent, reader),
    [t('Process'), agent.pid === null ? null : String(agent.pid)],
    [t('Last event'), time(agent.lastEventAt)],
    ...agent.evidence.map((one): Fact => [one.source, evidenceText(one, reader)]),
  ];
}

/** Everything known about an agent as a small Markdown table. */
export function agentTooltip(agent: AgentSnapshot, reader: Reader): string {
  return factTable(factsOf(agent, reader));
}
