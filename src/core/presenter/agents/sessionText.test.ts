import { describe, expect, it } from 'vitest';
import { agentSnapshot, inboxItem, sessionSnapshot } from '../../../../test/support/sessionSnapshots';
import { fleetSnapshot, readerAfter } from '../../../../test/support/snapshots';
import type { SessionSnapshot } from '../../protocol/actors/sessionSnapshot';
import type { FleetSnapshot } from '../../protocol/snapshot';
import { sessionText } from './sessionText';

function textOf(session: SessionSnapshot | null, led = true): readonly string[] {
  const leader: FleetSnapshot['leader'] = { epoch: 1, pid: 4711, surface: 'cli', since: '', self: false };
  const fleet = fleetSnapshot([], { session, leader: led ? leader : null });
  return sessionText(fleet, readerAfter(134), 'Needs you').split('\n');
}

describe('the text of a session', () => {
  it('names its agents with how they are, and where what waits is found', () => {
    const agents = [agentSnapshot(), agentSnapshot({ name: 'qa', state: null, connected: false })];
    const inbox = [inboxItem(), inboxItem({ id: 'msg:8', copy: true })];
    expect(textOf(sessionSnapshot(agents, { inbox }))).toEqual([
      'The session runs (event-driven).',
      'Agent             State',
      'developer         running · 2m 14s',
      'qa                not started',
      '1 in the inbox: see Needs you.',
    ]);
  });

  it('says that nobody leads it, and that there is none', () => {
    expect(textOf(sessionSnapshot([]), false).at(-1)).toContain('Nobody leads this project');
    expect(textOf(sessionSnapshot([], { running: false }), false)[0]).toBe('No session runs.');
    expect(textOf(null)[0]).toContain('No session agents are configured');
  });
});
