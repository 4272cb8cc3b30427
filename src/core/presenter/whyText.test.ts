import { describe, expect, it } from 'vitest';
import { START, workerSnapshot } from '../../../test/support/snapshots';
import { anExit } from '../../../test/support/workerFacts';
import { exitClasses } from '../protocol/keeper/exitRecord';
import { workerStateKinds } from '../protocol/snapshot';
import { eventText } from './eventText';
import { nextActions } from './nextActions';
import { whyText } from './whyText';
import { plainEnglish, type Reader } from './words';

const reader: Reader = {
  now: START + 60_000,
  timeOfDay: () => '14:30:22',
  dayAndTime: () => '2026-03-01 14:30',
  t: plainEnglish,
};

describe('why a worker is as it is', () => {
  it('reads as cause, exit, evidence with ages, next actions and the end of the log', () => {
    const worker = workerSnapshot({
      state: 'failed',
      canRetry: true,
      error: 'disk full',
      endedAt: START + 5_000,
      exit: anExit({ code: 3, class: 'crash', requestedBy: 'cli', forced: true }),
    });
    const evidence = [{ source: 'keeper', says: 'keeper 12 is gone', at: START + 30_000 } as const];
    const text = whyText({ ...worker, evidence }, ['one', 'two\u001B[2J'], reader);
    expect(text).toBe(`${worker.workerId} · ${worker.entry.type} · failed: disk full (exit 3)
Ran 5 s, from 2026-03-01 14:30
Exit: crash, exit 3
Asked to stop by cli
It had to be ended by force.
Last message: disk full

Evidence
  keeper: keeper 12 is gone · 30 s ago

Next
  Read the end of its log: ${worker.logFile}
  Retry it.

Last 2 log lines
  one
  two`);
  });

  it('names what it left by whole paths, and nothing where it left nothing', () => {
    const worker = workerSnapshot({ state: 'completed' });
    const left = { ...worker, outputs: ['a.json', 'b c.md'] };
    expect(whyText(left, [], reader)).toContain(
      `\n\nOutput\n  ${worker.folder}/output/a.json\n  ${worker.folder}/output/b c.md\n\nEvidence\n`,
    );
    expect(whyText(worker, [], reader)).not.toMatch(/Output|Files written/);
    const onWindows = { ...left, folder: 'C:\\p\\w' };
    expect(whyText(onWindows, [], reader)).toContain('C:\\p\\w\\output\\a.json');
  });

  it('names something to do in every state and for every class of exit', () => {
    for (const state of workerStateKinds) {
      for (const exitClass of exitClasses) {
        const actions = nextActions(workerSnapshot({ state, exit: anExit({ class: exitClass }) }), plainEnglish);
        expect(actions.length).toBeGreaterThan(0);
        expect(new Set(actions).size).toBe(actions.length);
      }
    }
  });
});

describe('an event in one line', () => {
  const at = { seq: 7, timestamp: '2026-03-01T14:30:22.000Z', epoch: 1 };

  it('tells a change of state as from and to', () => {
    const data = { worker: 'wkr-a', from: 'starting', to: 'running', event: 'spawned' };
    expect(eventText({ ...at, type: 'WorkerStateChanged', data })).toBe(
      '2026-03-01T14:30:22.000Z  #7  WorkerStateChanged  wkr-a  starting → running (spawned)',
    );
  });

  it('shows a stranger’s data without what a terminal would obey', () => {
    const text = eventText({ ...at, type: 'New\u001B[2J', data: { text: 'a\nb', deep: { x: 1 } } });
    expect(text).toBe('2026-03-01T14:30:22.000Z  #7  New  text a b, deep {"x":1}');
  });
});
