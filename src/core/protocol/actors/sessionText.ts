import { isRecord, readJson } from '../events/jsonGuards';
import { isMessage } from './isMessage';
import type { AgentMoment, SessionMoment } from './sessionMoment';

const VERSION = 1;

/** A moment of a session as the text of a snapshot file. */
export function formatSession({ agents, mail, calls, items, recent, ...rest }: SessionMoment): string {
  const plainAgents = [...agents].map(([name, { waiting, unacked, asked, ...agent }]) => [
    name,
    { ...agent, waiting: [...waiting], unacked: [...unacked], asked: [...asked] },
  ]);
  const maps = { agents: plainAgents, mail: [...mail], calls: [...calls], items: [...items], recent: [...recent] };
  return `${JSON.stringify({ v: VERSION, ...rest, ...maps })}\n`;
}

/** Reads a snapshot file; null when it is none: the log itself is folded then. */
export function readSession(text: string): SessionMoment | null {
  const value = readJson(text);
  if (!isRecord(value) || value['v'] !== VERSION || !isPlace(value)) {
    return null;
  }
  const { seq, epoch, at, session, turn, agents, mail, calls, items, recent } = value;
  const sound =
    isPairs(agents, 'string', isAgent) &&
    isPairs(mail, 'number', (one) => isAbout(one) && isTexts(one['waitingFor']) && isTexts(one['starts'])) &&
    isPairs(calls, 'number', isAbout) &&
    isPairs(items, 'string', isAbout) &&
    isPairs(recent, 'number', (one) => isAbout(one) && isRecord(one['stages']));
  if (!sound) {
    return null;
  }
  return {
    ...({ seq, epoch, at, session, turn } as Omit<SessionMoment, 'agents' | 'mail' | 'calls' | 'items' | 'recent'>),
    agents: new Map((agents as [string, PlainAgent][]).map(([name, agent]) => [name, agentOf(agent)])),
    mail: new Map(mail as [number, never][]),
    calls: new Map(calls as [number, never][]),
    items: new Map(items as [string, never][]),
    recent: new Map(recent as [number, never][]),
  };
}

/** As it is written; `snoozedUntil` is not in older files. */
type PlainAgent = Omit<AgentMoment, 'waiting' | 'unacked' | 'asked' | 'snoozedUntil'> & {
  readonly snoozedUntil?: string | null;
  readonly waiting: readonly number[];
  readonly unacked: readonly (readonly [number, string])[];
  readonly asked: readonly string[];
};

function agentOf(agent: PlainAgent): AgentMoment {
  return {
    ...agent,
    snoozedUntil: agent.snoozedUntil ?? null,
    waiting: new Set(agent.waiting),
    unacked: new Map(agent.unacked),
    asked: new Set(agent.asked),
  };
}

function isPlace({ seq, epoch, at, session, turn }: Record<string, unknown>): boolean {
  return (
    isNumbers([seq, epoch]) &&
    (at === null || typeof at === 'string') &&
    (session === null || isRecord(session)) &&
    (turn === null || isRecord(turn))
  );
}

function isPairs(value: unknown, key: 'string' | 'number', isValue: (one: unknown) => boolean): boolean {
  return (
    Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === key && isValue(pair[1]))
  );
}

function isAgent(value: unknown): boolean {
  return (
    isRecord(value) &&
    isTexts(value['asked']) &&
    isPairs(value['unacked'], 'number', (id) => typeof id === 'string') &&
    isTexts(value['restartedAt']) &&
    [value['waiting'], value['recent'], [value['taken'], value['restarts'], value['lastEvent']]].every(isNumbers)
  );
}

function isAbout(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && isMessage(value['message']) && typeof value['sentAt'] === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((number) => Number.isSafeInteger(number));
}
