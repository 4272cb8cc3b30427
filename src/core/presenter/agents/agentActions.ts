import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import { forFailure } from '../nextActions';
import type { Translate } from '../words';
import { asksPerson } from './agentDescription';

function forState(agent: AgentSnapshot, t: Translate): readonly string[] {
  switch (agent.state) {
    case null:
      return [t('Start it, or assign it work: that starts it too.')];
    case 'starting':
    case 'running':
      return agent.connected
        ? [t('Wait, or follow its log.'), t('Stop it if it should not go on.')]
        : [t('Wait until it connects; it is ended where it does not in time.')];
    case 'stopping':
      return [t('Wait for its end, or stop it with force.')];
    case 'backoff':
      return [...forFailure(agent, t), t('Wait for its restart, restart it now, or cancel the restart.')];
    case 'parked':
      return [...forFailure(agent, t), t('Wait: it is started again by itself.')];
    case 'completed':
    case 'stopped':
      return [t('Start it again when you need it.')];
    case 'failed':
      return [...forFailure(agent, t), t('Mend the cause, then start it again.')];
    case 'unknown':
      return [t('Read the end of its log: nobody saw how it ended.')];
  }
}

/** The next sensible actions about an agent, the most helpful first; each a sentence that says what to do. */
export function agentActions(agent: AgentSnapshot, t: Translate): readonly string[] {
  return [...(asksPerson(agent) ? [t('Answer it in Needs you.')] : []), ...forState(agent, t)];
}
