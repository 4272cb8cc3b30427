import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChaosPrograms } from '../../scripts/chaosPrograms.mjs';
import { setupSystem } from '../../scripts/setupSystem.mjs';
import { planOf } from './chaosPlan';
import { playChaos } from './chaosRound';

/** The short form; the long one is `npm run chaos`. Another seed is another plan: ROLLCALL_SEED=N. */
const FIRST_SEED = Number(process.env['ROLLCALL_SEED'] ?? '1');
const ROUNDS = 3;
const STEPS = 25;

const fixtures = fileURLToPath(new URL('../fixtures/workers', import.meta.url));
let programs = '';

beforeAll(async () => {
  setupSystem(['clock']);
  programs = mkdtempSync(join(tmpdir(), 'rollcall-chaos-programs-'));
  await bundleChaosPrograms(programs);
});

afterAll(() => {
  rmSync(programs, { recursive: true, force: true });
});

describe.runIf(process.platform === 'linux')('after killed, frozen, starved and damaged processes and files', () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round))(
    'every rule about processes, exits, logs and files holds (seed %i)',
    async (seed) => {
      const { violations, trace } = await playChaos(planOf(seed, STEPS), { programs, fixtures });
      expect(violations, trace.join('\n')).toEqual([]);
    },
  );
});

it('makes the same plan of the same seed, and another one of another seed', () => {
  expect(planOf(7, 40)).toEqual(planOf(7, 40));
  expect(planOf(8, 40)).not.toEqual(planOf(7, 40));
});
