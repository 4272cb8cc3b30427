import { expect, it } from 'vitest';
import { anEngineRecord } from '../../../test/support/engineParts';
import { tempProject } from '../../../test/support/tempProject';
import { formatEngineAgent, LIMIT_EXIT } from '../../core/protocol/actors/engineAgentRecord';
import { engineLimit } from './engineLimit';

const startedAt = '2026-03-01T12:00:00Z';
const limit = { says: 'Limit', resetsAt: '2026-03-01T13:00:00.000Z' };
const record = { at: '2026-03-01T12:00:05.000Z', isOpen: false, engine: anEngineRecord(), limit, marks: [] };

async function judged(text: string, code: number | null = LIMIT_EXIT): Promise<unknown> {
  return await engineLimit(code, { folder: await tempProject({ 'engine.json': text }), startedAt });
}

it('is what the record of this very run tells of an agent that left for it, and of no other', async () => {
  const text = formatEngineAgent(record);
  expect(await judged(text)).toEqual({
    class: 'rate limited',
    says: 'Limit',
    remedy: 'wait',
    resetsAt: limit.resetsAt,
  });
  expect(await judged(formatEngineAgent({ ...record, limit: { ...limit, resetsAt: null } }))).toEqual({
    class: 'rate limited',
    says: 'Limit',
    remedy: 'wait',
  });
  for (const code of [0, 1, null]) {
    expect(await judged(text, code)).toBeNull();
  }
  expect(await judged(formatEngineAgent({ ...record, limit: null }))).toBeNull();
  expect(await judged(formatEngineAgent({ ...record, at: '2026-03-01T11:59:59.000Z' }))).toBeNull();
});

it.each(['', '{', '[]', '{"v":1}', '{"v":1,"at":"x","isOpen":true,"engine":{},"limit":{"says":1}}'])(
  'is not believed of a file that is none: %s',
  async (text) => {
    expect(await judged(text)).toBeNull();
  },
);
