import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../events/jsonGuards';
import { namedZone, utcZone } from '../zone';
import { localInstant } from '../instant';
import { readState } from '../readState';
import { readHeartbeat } from '../heartbeat';
import { editJson } from './editJson';
import { chooseFeature } from './chooseFeature';
import { openState, type OpenState } from './stateText';
import { type Beat, beatWorker, heartbeatText } from './writeHeartbeat';
import { changeTask, type TaskChange, taskStatuses } from './writeTask';
import { naiveLocalTime } from './writtenTime';

const at = '2026-02-14T10:30:00.000000';
const moment = { feature: 'user-auth', at };

function opened(text: string | null): OpenState {
  const state = openState(text, moment);
  if (!state.ok) {
    throw new Error(state.error);
  }
  return state.value;
}

function withTask(task: Record<string, unknown>): string {
  return JSON.stringify({ feature: 'user-auth', tasks: { T: task }, workers: {}, execution_log: [] }, null, 2);
}

function changed(text: string | null, change: Partial<TaskChange>): Record<string, unknown> {
  const done = changeTask(
    opened(text),
    { task: 'T', status: 'pending', worker: null, error: null, level: null, ...change },
    at,
  );
  const state: unknown = JSON.parse(done.ok ? done.value : 'null');
  return isRecord(state) ? state : {};
}

const beat: Beat = {
  worker: 3,
  task: 'T',
  step: 'implementing',
  progressPct: 40,
  currentStep: null,
  totalSteps: null,
  stepStates: null,
};

describe('a change of a JSON text', () => {
  it('touches nothing but the value that it is for, however numbers and keys are written', () => {
    const odd = fc.constantFrom('1.0', '1e-05', '12345678901234567890', '-0.0', '"caf\\u00e9"', '[ ]', 'null');
    const key = fc.stringMatching(/^[a-z0-9]{1,6}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, odd), { selector: ([name]) => name }), fc.nat(20), (fields, place) => {
        const lines = fields.map(([name, raw]) => `  "${name}": ${raw}`);
        const target = '  "TARGET": "before"';
        const text = (line: string): string =>
          `{\n${[...lines.slice(0, place), line, ...lines.slice(place)].join(',\n')}\n}`;
        expect(editJson(text(target), [{ path: ['TARGET'], value: 'after' }])).toBe(text('  "TARGET": "after"'));
      }),
    );
  });

  it('writes pure ASCII that means what was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const text = editJson('{}', [{ path: ['a'], value }]);
        expect(text).toMatch(/^[\n -~]*$/);
        expect(JSON.parse(text)).toEqual({ a: JSON.parse(JSON.stringify(value)) as unknown });
      }),
    );
  });
});

describe('a state of many megabytes', () => {
  it('is changed at once, on one line as in many', () => {
    const tasks = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, n) => [`T-${n}`, { status: 'failed', error: 'x'.repeat(500) }]),
    );
    const state = { tasks, workers: {}, execution_log: [] };
    for (const text of [JSON.stringify(state), JSON.stringify(state, null, 2)]) {
      const after = changed(text, { task: 'T', status: 'complete', worker: 1 });
      expect(after['tasks']).toMatchObject({ ...tasks, T: { status: 'complete', worker_id: 1 } });
      expect(after['execution_log']).toHaveLength(1);
    }
  });
});

describe('a state that is no UTF-8', () => {
  it('is refused, because what cannot be read would be lost', () => {
    const text = Buffer.from('{"tasks":{"\u00c4":{}}}', 'latin1').toString('utf8');
    expect(openState(text, moment)).toMatchObject({ ok: false, error: expect.stringContaining('UTF-8') as string });
  });
});

describe('a new status of a task', () => {
  it.each(taskStatuses)('%s is read back by the viewer', (status) => {
    const text = JSON.stringify(changed(null, { status, worker: 2, level: 1 }));
    const reading = readState(text, false);
    expect(reading.kind === 'state' ? reading.document.tasks.get('T') : null).toMatchObject({
      status,
      worker: 2,
      level: 1,
    });
  });

  it('sets the times that the real tool sets, and tells only of ends in the log', () => {
    const times = { claimed: 'claimed_at', in_progress: 'started_at', complete: 'completed_at' };
    for (const status of taskStatuses) {
      const state = changed(null, { status, worker: 1 });
      const found = Object.keys((state['tasks'] as { T: object }).T).filter((name) => name.endsWith('_at'));
      expect(found).toEqual([
        'updated_at',
        ...Object.entries(times).flatMap(([word, name]) => (word === status ? [name] : [])),
      ]);
      expect(state['execution_log']).toHaveLength(status === 'complete' || status === 'failed' ? 1 : 0);
    }
  });

  it('keeps the worker that it has where none is named', () => {
    const state = changed(withTask({ status: 'in_progress', worker_id: 4 }), { status: 'complete' });
    expect(state).toMatchObject({
      tasks: { T: { worker_id: 4 } },
      execution_log: [{ timestamp: at, event: 'task_complete', data: { task_id: 'T', worker_id: 4 } }],
    });
  });

  it('is refused as a claim of anything but a free task', () => {
    for (const status of taskStatuses) {
      const free = status === 'todo' || status === 'pending';
      expect(Object.keys(changed(withTask({ status }), { status: 'claimed', worker: 1 })).length > 0).toBe(free);
    }
    expect(changed(withTask({ status: 'pending', worker_id: 2 }), { status: 'claimed', worker: 1 })).toEqual({});
    expect(changed(withTask({ status: 'pending' }), { status: 'claimed' })).toEqual({});
  });

  it('is written for a task of any name, also one that objects have by nature', () => {
    for (const task of ['__proto__', 'constructor', 'a"b', 'ü']) {
      const done = changeTask(opened(null), { task, status: 'complete', worker: 1, error: null, level: null }, at);
      const reading = readState(done.ok ? done.value : '', false);
      expect(reading.kind === 'state' ? [...reading.document.tasks.keys()] : null).toEqual([task]);
    }
  });
});

describe('a heartbeat', () => {
  it('is read back by the viewer as it was meant', () => {
    const told = { ...beat, currentStep: 2, totalSteps: 3, stepStates: ['completed', 'in_progress', 'pending'] };
    expect(readHeartbeat(heartbeatText(told, Date.UTC(2026, 1, 14)), '3')).toEqual({
      worker: '3',
      at: '2026-02-14T00:00:00.000000+00:00',
      task: 'T',
      status: null,
      step: 'implementing',
      progressPct: 40,
      currentStep: 2,
      totalSteps: 3,
      stepStates: ['completed', 'in_progress', 'pending'],
    });
  });

  it('changes nothing of a known worker but what it is at', () => {
    const worker = { worker_id: 3, status: 'stalled', current_task: null, tasks_completed: 5, own: [1, 2] };
    const text = JSON.stringify({ tasks: {}, workers: { 3: worker } });
    expect(JSON.parse(beatWorker(opened(text), beat))).toEqual({
      tasks: {},
      workers: { 3: { ...worker, status: 'running', current_task: 'T' } },
    });
  });
});

describe('a naive time', () => {
  it('is read back to the same instant, in any zone', () => {
    const zones = [
      utcZone,
      ...['America/Denver', 'Asia/Kolkata', 'Europe/Berlin'].flatMap((name) => namedZone(name) ?? []),
    ];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2090, 0) }), fc.constantFrom(...zones), (now, zone) => {
        expect(localInstant(naiveLocalTime(now, zone), { zone, now })).toBe(now);
      }),
    );
  });
});

describe('the feature of a write', () => {
  const graph = (
    feature: string,
  ): { feature: string; path: string; value: { tasks: Map<string, never>; levelNames: Map<number, null> } } => ({
    feature,
    path: '',
    value: { tasks: new Map([['T', {} as never]]), levelNames: new Map() },
  });
  const names = new Set(['a', 'b']);

  it('is the current one where both have the task', () => {
    const choices = { graphs: [graph('a'), graph('b')], currentFeature: 'b', names };
    expect(chooseFeature({ feature: null, task: 'T' }, choices)).toEqual({ ok: true, value: 'b' });
    expect(chooseFeature({ feature: null, task: 'T' }, { ...choices, currentFeature: 'c' })).toMatchObject({
      ok: false,
    });
  });

  it('is told in a refusal without what a terminal would obey, and only so many of them', () => {
    const odd = ['\u001B[31mred\nline', '\u202Eturned', ...Array.from({ length: 30 }, (_, n) => `f${n}`)];
    const told = chooseFeature(
      { feature: '\u001B[2Jgone', task: null },
      { graphs: [], currentFeature: null, names: new Set(odd) },
    );
    const designed = odd.map((name) => graph(name));
    const asked = chooseFeature(
      { feature: null, task: 'T' },
      { graphs: designed, currentFeature: null, names: new Set(odd) },
    );
    for (const one of [told, asked]) {
      const message = one.ok ? '' : one.error.message;
      expect(message).toMatch(/and 22 more/);
      expect(message).toMatch(/^[ -~]+$/);
    }
  });

  it('is never a name that no file or folder has', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string()), (current, feature) => {
        const chosen = chooseFeature({ feature, task: null }, { graphs: [], currentFeature: current, names });
        expect(!chosen.ok || names.has(chosen.value)).toBe(true);
      }),
    );
  });
});
