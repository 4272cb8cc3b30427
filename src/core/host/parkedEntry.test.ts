import { describe, expect, it } from 'vitest';
import { aKeeper, anEntry, anExit, isoAfter, STARTED_AT, someFacts } from '../../../test/support/workerFacts';
import { refreshedEntry } from './refreshDocument';

const keeper = aKeeper({ exit: anExit({ class: 'rate limited', resetsAt: isoAfter(600) }) });

describe('the registry of a parked worker', () => {
  it('keeps it running, and its slot', () => {
    const facts = someFacts({ keeper });
    expect(refreshedEntry(facts, STARTED_AT + 60_000)).toBe(facts.entry);
  });

  it('has it stopped by its flag, since nothing of it runs that could stop', () => {
    const stopFlagAt = STARTED_AT + 45_000;
    for (const status of ['running', 'stop-requested'] as const) {
      const facts = someFacts({ keeper, stopFlagAt, entry: anEntry({ status }) });
      expect(refreshedEntry(facts, STARTED_AT + 60_000)).toMatchObject({
        status: 'stopped',
        completed_at: '2026-02-03T10:00:45Z',
      });
    }
  });

  it('leaves the stop of a running one to its keeper', () => {
    const facts = someFacts({ stopFlagAt: STARTED_AT + 45_000 });
    expect(refreshedEntry(facts, STARTED_AT + 60_000).status).toBe('stop-requested');
  });
});
