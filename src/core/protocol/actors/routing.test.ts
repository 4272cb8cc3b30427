import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aMessage, momentOf, sent } from '../../../../test/support/sessionLines';
import type { Message } from './message';
import { nearestName } from './nearestName';
import { type Route, routeMessage } from './routing';
import type { SessionEvent } from './sessionEvent';
import type { SessionMoment } from './sessionMoment';
import { unknownAgentText } from './sessionTexts';

const session: SessionEvent = { type: 'SessionStarted', data: { sessionId: 's', mode: 'event-driven', by: 'cli' } };
const started = (agent: string): SessionEvent => ({ type: 'AgentStarted', data: { agent, pid: 1, startTime: '1' } });
const stopped = (agent: string): readonly SessionEvent[] => [
  { type: 'AgentStopRequested', data: { agent, by: 'cli' } },
  { type: 'AgentExited', data: { agent, exitCode: 42 } },
];
const ended: SessionEvent = { type: 'SessionStopped', data: { by: 'cli' } };

/** What an agent may be found as, told by the log. */
const lives = { away: [], running: [1], held: [1, 2] } as const;
type Life = keyof typeof lives;

function logOf(of: Readonly<Record<string, Life>>, goesOn: boolean): SessionMoment {
  const agents = Object.entries(of).flatMap(([agent, life]) =>
    life === 'away' ? [] : [started(agent), ...(life === 'held' ? stopped(agent) : [])],
  );
  const asked = sent(aMessage({ id: 'asked', from: 'qa', to: 'developer' }), ['developer']);
  return momentOf([session, ...agents, asked, ...(goesOn ? [] : [ended])]);
}

/** Actors.md §5 once more, as plainly as a table can say it. */
function expected(
  message: Message,
  of: Readonly<Record<string, Life>>,
  goesOn: boolean,
): Omit<Route, 'refusal'> & { readonly refused: boolean } {
  const { from, to } = message;
  const nothing = { recipients: [], starts: [], inbox: null, refused: false };
  if (to === '*') {
    return { ...nothing, recipients: Object.keys(of).filter((agent) => of[agent] === 'running' && agent !== from) };
  }
  if (to === 'watchdog') {
    return { ...nothing, inbox: wantsPersonOf(message) ? 'act' : null };
  }
  if (!(to in of)) {
    return isForPerson(message) ? { ...nothing, inbox: 'act' } : { ...nothing, refused: true };
  }
  const allowed = from === 'person' || (goesOn && of[to] !== 'held');
  const copy = to === 'pm' && wantsPersonOf(message);
  return { ...nothing, recipients: [to], starts: isOwed(message) && allowed ? [to] : [], inbox: copy ? 'copy' : null };
}

function isForPerson({ from, to }: Message): boolean {
  return ['pm', 'person'].includes(to) && from !== 'person';
}

function wantsPersonOf({ from, type }: Message): boolean {
  return from !== 'person' && wantsPerson.includes(type);
}

const wantsPerson = ['Query', 'ValidationRequest', 'WorkBlocked'];

function isOwed({ type, from, to, inReplyTo }: Message): boolean {
  const work = type === 'WorkAssign' && ['pm', 'person'].includes(from);
  return work || type === 'ValidationRequest' || (type === 'Response' && to === 'qa' && inReplyTo === 'asked');
}

describe('where a message goes', () => {
  it('is what the protocol says, for every sender, recipient, type and state of the agents', () => {
    const life = fc.constantFrom(...(Object.keys(lives) as Life[]));
    const agents = fc.record({ developer: life, qa: life, pm: life }, { requiredKeys: ['developer', 'qa'] });
    const message = fc
      .record(
        {
          type: fc.constantFrom(
            'WorkAssign',
            'ValidationRequest',
            'Response',
            'Query',
            'WorkBlocked',
            'WorkComplete',
            'Odd',
          ),
          from: fc.constantFrom('developer', 'qa', 'pm', 'person'),
          to: fc.constantFrom('developer', 'qa', 'pm', 'person', 'watchdog', '*', 'develper', ''),
          inReplyTo: fc.constantFrom('asked', 'other'),
        },
        { requiredKeys: ['type', 'from', 'to'] },
      )
      .map(aMessage);
    fc.assert(
      fc.property(agents, message, fc.boolean(), (of, one, goesOn) => {
        const table = { agents: Object.keys(of), moment: logOf(of, goesOn) };
        const { refusal, ...route } = routeMessage(one, table);
        expect({ ...route, refused: refusal !== null }).toEqual(expected(one, of, goesOn));
      }),
      { numRuns: 1_000 },
    );
  });

  const table = {
    agents: ['developer', 'qa', 'pm'],
    moment: logOf({ developer: 'away', qa: 'away', pm: 'away' }, true),
  };

  it('is the agent of that name also where it is written in capitals', () => {
    expect(routeMessage(aMessage({ to: 'QA' }), table).recipients).toEqual(['qa']);
  });

  it('is nowhere for a shutdown of an agent that is down, whose next run it would end', () => {
    const shutdown = aMessage({ type: 'System', to: 'qa', payload: { systemEvent: 'shutdown' } });
    const up = { ...table, moment: logOf({ developer: 'away', qa: 'running', pm: 'away' }, true) };
    expect(routeMessage(shutdown, table)).toEqual({ recipients: [], starts: [], inbox: null, refusal: null });
    expect(routeMessage(shutdown, up).recipients).toEqual(['qa']);
    expect(routeMessage({ ...shutdown, payload: { systemEvent: 'info' } }, table).recipients).toEqual(['qa']);
  });

  it('starts an agent for a validation that an existing runtime sends as work', () => {
    const payloads = [
      { workType: 'validation_request' },
      { workType: 'TEST_PLAN_REQUEST' },
      { validationType: 'unit' },
    ];
    for (const payload of payloads) {
      expect(routeMessage(aMessage({ type: 'WorkAssign', to: 'qa', payload }), table).starts).toEqual(['qa']);
    }
    expect(
      routeMessage(aMessage({ type: 'WorkAssign', to: 'qa', payload: { workType: 'feature' } }), table).starts,
    ).toEqual([]);
  });
});

describe('a name that nobody has', () => {
  it('is answered with the nearest one and all others', () => {
    const text = unknownAgentText('develpoer', ['pm', 'developer', 'qa']);
    expect(text).toBe('No agent is called develpoer. Did you mean developer? Send it to one of pm, developer, qa.');
    expect(unknownAgentText('nobody', ['pm', 'qa'], 'start')).toBe('No agent is called nobody. Start one of pm, qa.');
    expect(unknownAgentText('nobody', ['pm', 'qa'], 'stop')).toBe('No agent is called nobody. Stop one of pm, qa.');
    expect(unknownAgentText('x\u001b[31m'.repeat(50), []).length).toBeLessThan(200);
  });

  it.each([
    ['develper', 'developer'],
    ['developers', 'developer'],
    ['aq', 'qa'],
    ['Q-A', 'qa'],
    ['zebra', null],
    ['', null],
  ])('%j is near to %j', (written, name) => {
    expect(nearestName(written, ['pm', 'developer', 'qa'])).toBe(name);
  });
});
