import { describe, expect, it } from 'vitest';
import type { ExitClass, ExitRecord } from '../keeper/exitRecord';
import type { RegistryEntry, RegistryStatus } from './registryEntry';
import { automaticRetryAt, retryRefusal } from './retryRule';

function entryOf(worker_id: string, status: RegistryStatus, retry_count = 0, retry_of?: string): RegistryEntry {
  return {
    worker_id,
    type: 'health-check',
    status,
    model: 'haiku',
    started_at: '2026-03-01T14:30:22Z',
    completed_at: null,
    output_dir: `.keysarium/workers/${worker_id}/`,
    retry_count,
    extra: retry_of === undefined ? {} : { retry_of },
  };
}

const id = 'wkr-20260301-143022-health-check';
const next = 'wkr-20260301-143500-health-check';
const killed: ExitRecord = {
  code: null,
  signal: 'SIGKILL',
  at: '2026-03-01T14:31:00.000Z',
  class: 'killed by someone else',
  requestedBy: null,
  forced: false,
};
const endedAt = Date.parse(killed.at);
const rule = { automatic: 'transient', max: 2 } as const;

describe('a retry by a person', () => {
  it.each(['failed', 'unknown'] as const)('is taken for a worker that is %s', (status) => {
    expect(retryRefusal(entryOf(id, status, 1), [])).toBeNull();
  });

  it.each(['starting', 'running', 'completing', 'completed', 'stop-requested', 'stopped'] as const)(
    'is refused for a worker that is %s',
    (status) => {
      expect(retryRefusal(entryOf(id, status), [])).toMatch(
        new RegExp(`\\(status: ${status}\\).*once you reset that fuse\\.$`),
      );
    },
  );

  it('is refused after two retries, and says to start anew', () => {
    expect(retryRefusal(entryOf(id, 'failed', 2), [])).toBe(
      `Worker ${id} failed permanently after 2 retries. Start health-check anew if you still need it.`,
    );
  });

  it('is refused a second time for the same worker, so that one request has at most two retries', () => {
    const entries = [entryOf(id, 'failed'), entryOf(next, 'failed', 1, id)];
    expect(retryRefusal(entries[0] ?? entryOf(id, 'failed'), entries)).toContain(`already retried as ${next}`);
  });
});

describe('an automatic retry', () => {
  const question = { entry: entryOf(id, 'failed'), entries: [], exit: killed, stopFlagAt: null, rule };

  it('comes ten seconds after the first end and a minute after the second', () => {
    expect(automaticRetryAt(question)).toBe(endedAt + 10_000);
    expect(automaticRetryAt({ ...question, entry: entryOf(id, 'failed', 1) })).toBe(endedAt + 60_000);
    expect(automaticRetryAt({ ...question, entry: entryOf(id, 'failed', 2) })).toBeNull();
  });

  it('never follows a stop request, an end that nobody saw, or a worker that did not fail', () => {
    expect(automaticRetryAt({ ...question, stopFlagAt: endedAt })).toBeNull();
    expect(automaticRetryAt({ ...question, exit: null })).toBeNull();
    expect(automaticRetryAt({ ...question, entry: entryOf(id, 'unknown') })).toBeNull();
  });

  it('follows an engine whose service failed, and not every crash', () => {
    const crash = { ...killed, code: 1, signal: null, class: 'crash' } as const;
    expect(automaticRetryAt({ ...question, exit: crash })).toBeNull();
    expect(automaticRetryAt({ ...question, exit: { ...crash, transient: true } })).toBe(endedAt + 10_000);
  });

  it('happens once: not where a successor stands in the registry', () => {
    expect(automaticRetryAt({ ...question, entries: [entryOf(next, 'running', 1, id)] })).toBeNull();
  });

  const table: readonly (readonly [ExitClass, boolean, boolean])[] = [
    ['done', false, false],
    ['asked to stop', false, false],
    ['crash', false, true],
    ['never started', true, true],
    ['exit 0 unconnected', false, true],
    ['rate limited', false, true],
    ['auth', false, false],
    ['config', false, false],
    ['not installed', false, false],
    ['out of memory', false, true],
    ['killed by someone else', true, true],
    ['unknown exit', false, true],
  ];
  it.each(table)('after "%s": by transient %s, by always %s, by never not', (exitClass, transient, always) => {
    const exit = { ...killed, class: exitClass };
    const isRetried = (automatic: 'transient' | 'always' | 'never'): boolean =>
      automaticRetryAt({ ...question, exit, rule: { automatic, max: 2 } }) !== null;
    expect([isRetried('transient'), isRetried('always'), isRetried('never')]).toEqual([transient, always, false]);
  });

  it('obeys a lower limit of the configuration', () => {
    expect(automaticRetryAt({ ...question, rule: { automatic: 'transient', max: 0 } })).toBeNull();
  });
});
