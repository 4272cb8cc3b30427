import type { AgentSnapshot } from '../../protocol/actors/sessionSnapshot';
import { costWords, doingWords } from '../engineWords';
import { exitEnding, failureCause } from '../failureCause';
import { plainLine } from '../plainText';
import { callWords } from './callWords';
import { ageOf, backoffWords, clockTime, joined, parkedWords, stoppedWords, stoppingWords } from '../rowWords';
import { stateWord } from '../stateWord';
import type { Reader } from '../words';

const WORD_LIMIT = 18;

/**
 * True where the agent waits for a person's word: it goes on, or asked and left (actors.md §6). How one came to its end is
 * said first; what it had asked stands in *Needs you* still.
 */
export function asksPerson({ attention, state }: AgentSnapshot): boolean {
  const kind = attention?.kind;
  const waits = state === 'starting' || state === 'running' || state === 'completed';
  return waits && kind !== undefined && kind !== 'failed' && kind !== 'gave-up';
}

function asking({ attention }: AgentSnapshot, { t }: Reader): string {
  const text = plainLine(attention?.text ?? '');
  return attention?.kind === 'question' || attention?.kind === 'permission' ? t('asks: {0}', text) : text;
}

/** What it is doing: the task, or its own word for its state. */
function running(agent: AgentSnapshot, reader: Reader): string {
  const { t } = reader;
  const since = agent.startedAt === null ? null : ageOf(agent.startedAt, reader);
  if (!agent.connected) {
    return joined(t('not connected'), since);
  }
  const doing = plainLine(agent.currentTask ?? agent.status ?? '', WORD_LIMIT);
  const { engine } = agent;
  const call = callWords(agent, reader);
  const engineWords = engine === null ? [] : [doingWords(engine, t), costOf(agent)];
  const last = agent.waiting > 0 || call !== null ? null : since;
  return joined(doing === '' ? t('running') : doing, call, ...engineWords, last);
}

function failed(agent: AgentSnapshot, reader: Reader): string {
  const { t } = reader;
  const { exit } = agent;
  const cause =
    agent.attention?.kind === 'gave-up'
      ? `${t('gave up')}${exitEnding(exit, t)}`
      : failureCause({ exit, error: null }, t);
  return joined(cause, clockTime(agent.endedAt, reader));
}

function costOf({ engine }: AgentSnapshot): string | null {
  return engine === null ? null : costWords(engine.usage);
}

function ofState(agent: AgentSnapshot, reader: Reader): string {
  const { t } = reader;
  switch (agent.state) {
    case null:
      return t('not started');
    case 'starting':
      return joined(t('starting'), agent.startedAt === null ? null : ageOf(agent.startedAt, reader));
    case 'running':
      return running(agent, reader);
    case 'stopping':
      return stoppingWords(agent, reader);
    case 'backoff':
      return backoffWords({ at: agent.nextRestartAt, nth: agent.restarts, of: agent.maxRestarts }, reader);
    case 'parked':
      return parkedWords({ nextStartAt: agent.nextRestartAt, exit: agent.exit }, reader);
    case 'completed':
      return joined(stateWord('completed', t), clockTime(agent.endedAt, reader), costOf(agent));
    case 'failed':
      return failed(agent, reader);
    case 'stopped':
      return stoppedWords(agent, reader);
    case 'unknown':
      return t('no sign of life, no exit seen');
  }
}

/** What stands behind an agent's name: how it is, then the mail that waits for it (surfaces.md, "How a row looks"). */
export function agentDescription(agent: AgentSnapshot, reader: Reader): string {
  const waiting = agent.waiting === 0 ? null : reader.t('{0} waiting', agent.waiting);
  return joined(asksPerson(agent) ? asking(agent, reader) : ofState(agent, reader), waiting);
}
