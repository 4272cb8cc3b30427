import { describe, expect, it } from 'vitest';
import { aProcess, anExit } from '../../../../test/support/workerFacts';
import { agentPolicy } from '../../supervisor/agentPolicy';
import { transition } from '../../supervisor/transition';
import type { WorkerHappening } from '../../supervisor/workerEvent';
import { initialState, type WorkerState } from '../../supervisor/workerState';
import { eventsOfMove } from './agentEvents';

const rules = {
  maxRestarts: 1,
  backoffSeconds: [7],
  resetAfterMinutes: null,
  connectMs: 40_000,
  graceMs: 1,
  termGraceMs: 1,
};
const policy = agentPolicy(rules);
const started: readonly WorkerHappening[] = [
  { kind: 'startRequested' },
  { kind: 'spawned', process: aProcess },
  { kind: 'becameReady' },
];
const crash = { kind: 'exited', exit: anExit({ code: 3, class: 'crash' }) } as const;

/** What the log is told of these happenings, one after another from before the first start. */
function told(...happenings: readonly WorkerHappening[]): readonly unknown[] {
  let state: WorkerState = initialState(policy.restarts);
  return happenings.flatMap((happening) => {
    const { state: to } = transition(state, { ...happening, at: 1_000 }, policy);
    const events = eventsOfMove('a', { from: state, to, happening }, { lastLine: 'oh', sameEnd: null });
    state = to;
    return events.map(({ type, data }) => [type, 'exitCode' in data ? data.exitCode : null]);
  });
}

describe('what the log is told of an agent', () => {
  it.each<readonly [string, readonly WorkerHappening[], readonly unknown[]]>([
    ['that is done', [...started, { kind: 'exited', exit: anExit() }], [['AgentExited', 0]]],
    [
      'that was shut down',
      [...started, { kind: 'exited', exit: anExit({ code: 42, class: 'asked to stop' }) }],
      [['AgentExited', 42]],
    ],
    [
      'that crashes and waits',
      [...started, crash],
      [
        ['AgentCrashed', 3],
        ['AgentRestartScheduled', null],
      ],
    ],
    [
      'that never connected',
      [...started.slice(0, 2), { kind: 'exited', exit: anExit({ code: 0, class: 'exit 0 unconnected' }) }],
      [['AgentCrashed', 0]],
    ],
    [
      'that nobody saw end',
      [...started, { kind: 'provenDead', exit: null }],
      [
        ['AgentCrashed', -1],
        ['AgentRestartScheduled', null],
      ],
    ],
    [
      'whose wait is cancelled',
      [...started, crash, { kind: 'stopRequested', by: 'cli', force: false }],
      [
        ['AgentCrashed', 3],
        ['AgentRestartScheduled', null],
        ['AgentRestartCancelled', null],
      ],
    ],
    [
      'whose end a person asked for',
      [...started, { kind: 'stopRequested', by: 'cli', force: false }, { kind: 'provenDead', exit: null }],
      [
        ['AgentStopRequested', null],
        ['AgentExited', null],
      ],
    ],
  ])('%s', (_who, happenings, expected) => {
    const events = told(...happenings);
    expect(events.filter((event) => JSON.stringify(event) !== '["AgentStarted",null]')).toEqual(expected);
  });

  it('that used up its restarts', () => {
    const again: readonly WorkerHappening[] = [
      { kind: 'backoffElapsed' },
      { kind: 'spawned', process: aProcess },
      { kind: 'becameReady' },
    ];
    expect(told(...started, crash, ...again, crash).slice(-2)).toEqual([
      ['AgentCrashed', 3],
      ['AgentGaveUp', null],
    ]);
  });
});
