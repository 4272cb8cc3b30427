import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChaosPrograms } from '../../scripts/chaosPrograms.mjs';
import { messagePlanOf } from './messagePlan';
import { playMessages } from './messageRound';

/** The short form; the long one is `npm run chaos -- messages`. Another seed is another plan: ROLLCALL_SEED=N. */
const SEED = Number(process.env['ROLLCALL_SEED'] ?? '1');
const AMOUNTS = { agents: 10, oldAgents: 2, messages: 8_000, kills: 12 };

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
let programs = '';

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'rollcall-chaos-programs-'));
  await bundleChaosPrograms(programs);
});

afterAll(() => {
  rmSync(programs, { recursive: true, force: true });
});

describe.runIf(process.platform === 'linux')(
  'after leaders, keepers and agents were killed in the middle of their talk',
  () => {
    it(`no message is lost, doubled or out of its pair's order, and the session's log says so (seed ${SEED})`, async () => {
      const { safe, kills, violations, trace } = await playMessages(messagePlanOf(SEED, AMOUNTS), { programs, agents });
      expect(violations, trace.join('\n')).toEqual([]);
      expect(safe).toBeGreaterThanOrEqual(AMOUNTS.messages);
      expect(kills).toBe(AMOUNTS.kills);
    });
  },
);

it('makes the same plan of the same seed, and another one of another seed', () => {
  expect(messagePlanOf(7, AMOUNTS)).toEqual(messagePlanOf(7, AMOUNTS));
  expect(messagePlanOf(8, AMOUNTS)).not.toEqual(messagePlanOf(7, AMOUNTS));
});
