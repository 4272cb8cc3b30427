import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { systemClock } from '../base/clock';
import type { SessionEvent } from '../protocol/actors/sessionEvent';
import type { SessionMoment } from '../protocol/actors/sessionMoment';
import { EventLog } from './eventLog';
import { LogFollower } from './logFollower';
import type { LogPlace } from './logFormat';
import { replayLog } from './replayLog';
import { sessionLogIn } from './sessionLog';

type Log = EventLog<SessionEvent, SessionMoment>;

function placeIn(folder: string, segmentBytes = 20_000): LogPlace<SessionMoment> {
  const place = sessionLogIn(folder);
  return { ...place, format: { ...place.format, segmentBytes } };
}

async function openLog(place: LogPlace<SessionMoment>, epoch = 1): Promise<Log> {
  const verify = async (): Promise<boolean> => Promise.resolve(true);
  return await EventLog.open({ place, epoch, clock: systemClock(), verify });
}

function sent(number: number, text = 'x'): SessionEvent {
  const payload = { text };
  const message = { id: `m${String(number)}`, type: 'PlanUpdate', from: 'a', to: 'b', timestamp: '', payload };
  return { type: 'MessageSent', data: { message, recipients: ['b'], number } };
}

function batch(from: number, count: number): readonly SessionEvent[] {
  return Array.from({ length: count }, (_none, index) => sent(from + index));
}

describe('the log of a session', () => {
  it('takes many events with one write, and a follower that reads on sees what a whole replay sees', async () => {
    const place = placeIn(await tempProject());
    const follower = new LogFollower(place);
    expect((await follower.look()).seq).toBe(0);
    const log = await openLog(place);
    for (let round = 0; round < 20; round += 1) {
      const lines = await log.appendAll(batch(1 + round * 50, 50));
      expect(lines.map(({ seq }) => seq).at(-1)).toBe(50 + round * 50);
      const moment = await follower.look();
      expect(moment.seq).toBe(log.moment.seq);
      expect(moment.agents.get('b')?.waiting.size).toBe(50 + round * 50);
    }
    const bare = (await replayLog(place, { bare: true })).fold.moment;
    expect(bare.mail.size).toBe(1_000);
    expect([...bare.mail.keys()]).toEqual([...(await follower.look()).mail.keys()]);
  });

  it.each([
    ['cut off in the middle of a line', (text: string) => text.slice(0, -20)],
    ['given the half of a line', (text: string) => `${text}{"seq":9,"ty`],
    ['emptied', () => ''],
  ])('loses no line that comes behind, where somebody has %s meanwhile', async (_how, spoil) => {
    const folder = await tempProject();
    const log = await openLog(placeIn(folder));
    await log.appendAll(batch(1, 3));
    const path = join(folder, 'eventlog.jsonl');
    writeFileSync(path, spoil(readFileSync(path, 'utf8')));
    await log.append(sent(4));
    await log.append(sent(5));
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq).slice(-2)).toEqual([4, 5]);
  });

  it('carries a message of a megabyte and every letter whole, as ASCII', async () => {
    const folder = await tempProject();
    const place = placeIn(folder);
    const text = `Ünï 🚦 \uD800 ${'é'.repeat(500_000)}`;
    await (await openLog(place)).append(sent(1, text));
    const { mail } = await new LogFollower(place).look();
    expect(mail.get(1)?.message.payload['text']).toBe(text);
    expect(readFileSync(join(folder, 'eventlog.jsonl'), 'latin1')).toMatch(/^[\n\x20-\x7e]*$/);
    // The first line is longer than what is usually looked at to know a segment.
    expect((await openLog(place)).moment.seq).toBe(1);
  });

  it('is followed past a torn line, a deleted folder and a leader whose last write did not hold', async () => {
    const folder = await tempProject();
    const place = placeIn(folder);
    const follower = new LogFollower(place);
    const old = await openLog(place, 1);
    await old.appendAll(batch(1, 3));
    expect((await follower.look()).seq).toBe(3);
    const next = await openLog(place, 2);
    await old.appendAll(batch(4, 2));
    expect((await follower.look()).mail.size).toBe(5);
    await next.appendAll([sent(40)]);
    const moment = await follower.look();
    expect([...moment.mail.values()].map(({ message }) => message.id)).toEqual(['m1', 'm2', 'm3', 'm40']);
    appendFileSync(join(folder, 'eventlog.jsonl'), '{"seq":5,"type":"Mess');
    expect((await follower.look()).seq).toBe(4);
    rmSync(join(folder, 'eventlog.jsonl'));
    expect((await follower.look()).seq).toBe(0);
  });
});
