import { describe, expect, it } from 'vitest';
import { anAsk, anEngineRecord } from '../../../test/support/engineParts';
import { aKeeper, anEntry, anExit, aStatus, isoAfter, STARTED_AT, someFacts } from '../../../test/support/workerFacts';
import { noEngineFacts } from '../protocol/engines/engineFacts';
import type { ExitRecord } from '../protocol/keeper/exitRecord';
import type { WorkerSnapshot } from '../protocol/snapshot';
import type { WorkerFacts } from '../protocol/workerFacts';
import { deriveWorker } from './deriveWorker';

const MINUTE_MS = 60_000;
const limited: ExitRecord = anExit({ code: 1, class: 'rate limited', resetsAt: isoAfter(630) });

function look(parts: Partial<WorkerFacts>, afterMs = 40_000): WorkerSnapshot {
  return deriveWorker(someFacts(parts), STARTED_AT + afterMs);
}

describe('a worker whose program asks a model', () => {
  it('tells what its stream told, of all its starts together', () => {
    const usage = { inputTokens: 10, cachedTokens: 0, outputTokens: 2, costUsd: 0.5 };
    const tools = [{ id: 'a', tool: 'Write', file: 'out/report.md', writes: true }];
    const engine = anEngineRecord({
      facts: { ...noEngineFacts, sessionId: 's', model: 'm', tools, usage, files: ['a.md'], fileCount: 1 },
      earlier: [{ sessionId: 'before', usage, usageCovers: 'run' }],
    });
    expect(look({ keeper: aKeeper({ record: { engine } }) }).engine).toMatchObject({
      name: 'claude',
      sessionId: 's',
      model: 'm',
      tool: 'Write',
      file: 'out/report.md',
      files: ['a.md'],
      usage: { inputTokens: 20, outputTokens: 4, costUsd: 1 },
    });
  });

  it('needs a person while it asks, and no longer once it has ended', () => {
    const engine = anEngineRecord({ asks: [anAsk(), anAsk({ requestId: 'req-2', isQuestion: true })] });
    const asking = look({ keeper: aKeeper({ record: { engine } }) });
    expect(asking.attention).toEqual({ kind: 'permission', text: 'Bash: npm test' });
    expect(asking.engine?.asks).toHaveLength(2);
    const ended = look({ keeper: aKeeper({ exit: anExit(), record: { engine } }), status: aStatus('completed') });
    expect(ended.attention).toBeNull();
    expect(ended.engine?.asks).toEqual([]);
  });

  it('is silent after five minutes without a sign, but not while it waits for an answer', () => {
    const engine = anEngineRecord();
    const quiet = { newestMtimeMs: STARTED_AT };
    expect(look({ ...quiet, keeper: aKeeper({ record: { engine } }) }, 6 * MINUTE_MS).health).toBe('silent');
    expect(look({ ...quiet, keeper: aKeeper({ record: { engine } }) }, 4 * MINUTE_MS).health).toBe('ok');
    const asking = anEngineRecord({ asks: [anAsk()] });
    expect(look({ ...quiet, keeper: aKeeper({ record: { engine: asking } }) }, 6 * MINUTE_MS).health).toBe('ok');
    expect(look({ ...quiet, keeper: aKeeper() }, 6 * MINUTE_MS).health).toBe('ok');
  });
});

describe('a worker that met a rate limit', () => {
  it('is parked until the service takes requests again, and has not ended', () => {
    const { state, nextStartAt, endedAt, attention } = look({ keeper: aKeeper({ exit: limited }) });
    expect({ state, endedAt, attention }).toEqual({ state: 'parked', endedAt: null, attention: null });
    expect(nextStartAt).toBeGreaterThanOrEqual(STARTED_AT + 630_000);
    expect(nextStartAt).toBeLessThanOrEqual(STARTED_AT + 690_000);
  });

  it('is parked for some minutes where nobody says until when', () => {
    const { nextStartAt } = look({ keeper: aKeeper({ exit: anExit({ class: 'rate limited' }) }) });
    expect(nextStartAt).toBeGreaterThanOrEqual(STARTED_AT + 30_000 + 5 * MINUTE_MS);
  });

  it('is stopped by its flag alone: nothing of it runs', () => {
    const stopped = look({ keeper: aKeeper({ exit: limited }), stopFlagAt: STARTED_AT + 35_000 });
    expect(stopped).toMatchObject({ state: 'stopped', nextStartAt: null });
  });

  it('ends where it had said its last word before', () => {
    expect(look({ keeper: aKeeper({ exit: limited }), status: aStatus('completed') }).state).toBe('completed');
  });

  it('runs again behind its next start', () => {
    const process = { pid: 5, startTime: 'boot:5', pgid: 5 };
    const attempts = [
      { process, startedAt: isoAfter(0), exit: limited },
      { process, startedAt: isoAfter(640), exit: null },
    ];
    expect(look({ keeper: aKeeper({ record: { attempts } }) }).state).toBe('running');
  });
});

it('a program that hung at its first start is started once more, at once', () => {
  const hung = anExit({ code: null, class: 'never started', transient: true });
  const entry = anEntry();
  const first = look({ entry, keeper: aKeeper({ exit: hung }) });
  expect(first).toMatchObject({ state: 'parked', nextStartAt: STARTED_AT + 30_000 });
  const again = anExit({ code: null, class: 'never started' });
  expect(look({ entry, keeper: aKeeper({ exit: again }), status: aStatus('failed') }).state).toBe('failed');
});
