import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../../test/support/handClock';
import { tempProject } from '../../../../test/support/tempProject';
import { silentLogger } from '../../base/logger';
import { EventLog } from '../../eventlog/eventLog';
import { sessionLogIn } from '../../eventlog/sessionLog';
import type { SessionEvent } from '../../protocol/actors/sessionEvent';
import type { SessionMoment } from '../../protocol/actors/sessionMoment';
import type { EventLine } from '../../protocol/events/eventLine';
import { SessionJournal } from './sessionJournal';

function exited(agent: string): SessionEvent {
  return { type: 'AgentExited', data: { agent, exitCode: 0 } };
}

async function journalIn(folder: string, verify: () => boolean = () => true) {
  const clock = handClock();
  const place = sessionLogIn(folder);
  const log = await EventLog.open<SessionEvent, SessionMoment>({
    place,
    epoch: 1,
    clock,
    verify: async () => Promise.resolve(verify()),
  });
  const written: EventLine[] = [];
  const journal = new SessionJournal({
    log,
    folder,
    batchLines: 4,
    clock,
    logger: silentLogger,
    onWritten: (lines) => {
      written.push(...lines);
    },
  });
  return { journal, clock, agents: (): readonly unknown[] => written.map(({ data }) => data['agent']) };
}

describe('SessionJournal', () => {
  it('writes in order what comes together and one by one, however much there is', async () => {
    const { journal, agents } = await journalIn(await tempProject());
    const names = Array.from({ length: 11 }, (_none, index) => `a${String(index)}`);
    journal.note(exited('first'));
    const all = journal.add(names.map(exited));
    const required = await journal.require(exited('last'));
    expect(await all).toBe(true);
    expect(required.ok && required.value.map(({ seq }) => seq)).toEqual([13]);
    expect(agents()).toEqual(['first', ...names, 'last']);
  });

  it('writes what nobody waits for with what comes next, or a moment later, in its order', async () => {
    const { journal, clock, agents } = await journalIn(await tempProject());
    journal.noteSoon([exited('a')]);
    const urgent = journal.add([exited('b')]);
    journal.noteSoon([exited('c')]);
    // It comes in the middle of a write, and must not wait for the clock.
    const next = journal.add([exited('d')]);
    expect(await Promise.all([urgent, next])).toEqual([true, true]);
    journal.noteSoon([exited('e')]);
    clock.go(0);
    expect(agents()).toEqual(['a', 'b', 'c', 'd']);
    clock.go(10);
    await journal.idle();
    expect(agents()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('refuses what must be certain and keeps everything else in its order while the disk takes nothing', async () => {
    const folder = await tempProject();
    const { journal, clock, agents } = await journalIn(folder);
    // No file can be made under this name.
    mkdirSync(join(folder, 'eventlog.jsonl'));
    const kept = journal.add([exited('kept')]);
    const refused = await journal.require(exited('refused'));
    expect(refused).toMatchObject({ ok: false });
    journal.note(exited('later'));
    await journal.idle();
    expect(agents()).toEqual([]);
    rmSync(join(folder, 'eventlog.jsonl'), { recursive: true });
    clock.go(1_000);
    expect(await kept).toBe(true);
    await journal.idle();
    expect(agents()).toEqual(['kept', 'later']);
  });

  it('writes nothing for a process that lost its lease, and says so to whoever waits', async () => {
    let leads = true;
    const { journal, agents } = await journalIn(await tempProject(), () => leads);
    await journal.add([exited('a')]);
    leads = false;
    expect(await journal.add([exited('b')])).toBe(false);
    expect(await journal.require(exited('c'))).toMatchObject({ ok: false, error: { code: 'not-leader' } });
    expect(agents()).toEqual(['a']);
  });
});
