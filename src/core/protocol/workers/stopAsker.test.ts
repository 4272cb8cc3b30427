import { describe, expect, it } from 'vitest';
import { anEntry } from '../../../../test/support/workerFacts';
import { namedStop, withStopAsker } from './stopAsker';

describe('who asked for a stop', () => {
  it('is named where the flag alone tells of it, and nowhere else', () => {
    const entry = withStopAsker(anEntry(), 'vscode');
    expect(namedStop({ requestedBy: 'stop flag' }, entry)).toEqual({ requestedBy: 'vscode' });
    expect(namedStop({ requestedBy: 'cli' }, entry)).toEqual({ requestedBy: 'cli' });
    expect(namedStop({ requestedBy: null }, entry)).toEqual({ requestedBy: null });
    expect(namedStop({ requestedBy: 'stop flag' }, anEntry())).toEqual({ requestedBy: 'stop flag' });
  });

  it('is the first one, and no text of another kind', () => {
    const twice = withStopAsker(withStopAsker(anEntry(), 'vscode'), 'cli');
    expect(twice.extra).toEqual({ stop_requested_by: 'vscode' });
    const odd = { ...anEntry(), extra: { stop_requested_by: 7 } };
    expect(namedStop({ requestedBy: 'stop flag' }, odd)).toEqual({ requestedBy: 'stop flag' });
  });
});
