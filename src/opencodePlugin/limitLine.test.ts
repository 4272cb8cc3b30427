import { expect, it } from 'vitest';
import { foldEngineLine, noEngineFacts } from '../core/protocol/engines/engineFacts';
import { readOpencodeLine } from '../core/protocol/engines/opencodeStream';
import { limitLine } from './limitLine';

const now = 1_796_088_428_000;

function waiting(next: unknown, type = 'session.status'): object {
  const status = { type: 'retry', attempt: 1, message: 'Rate limit\nexceeded', next };
  return { type, properties: { sessionID: 'ses_1', status } };
}

it('tells a long wait in one line, which is read as a limit of this session with its end', () => {
  const line = limitLine(waiting(now + 3_600_000), now) ?? '';
  expect(line).not.toContain('\n');
  const facts = foldEngineLine(noEngineFacts, readOpencodeLine(line));
  expect(facts).toMatchObject({ sessionId: 'ses_1', end: null, unknownLines: 0 });
  expect(facts.failure).toEqual({ fault: 'rate limited', text: 'Rate limit exceeded', resetsAt: now + 3_600_000 });
});

it('leaves a short wait to opencode, and everything that is no wait', () => {
  const busy = { type: 'session.status', properties: { sessionID: 'ses_1', status: { type: 'busy' } } };
  const others = [waiting(now + 60_000), waiting(now - 1), waiting('soon'), waiting(now + 3_600_000, 'x'), busy];
  expect([...others, null, 'retry'].map((event) => limitLine(event, now))).toEqual(Array(7).fill(null));
  expect(limitLine(waiting(now + 60_001), now)).not.toBeNull();
});
