import { describe, expect, it } from 'vitest';
import { feature, featuresSnapshot, worker } from '../../../../test/support/featureSnapshots';
import { fleetSnapshot, readerAfter, START } from '../../../../test/support/snapshots';
import type { FeatureWorker } from '../../protocol/features/featureSnapshot';
import { runTooltip } from './runTooltip';

/** The tooltip of the feature's one worker, `seconds` after `START`. */
function workerTip(changes: Partial<FeatureWorker>, seconds = 0): string {
  const shown = {
    ...fleetSnapshot([]),
    features: featuresSnapshot([{ ...feature, workers: [{ ...worker, ...changes }] }]),
  };
  const run = { feature: 'auth', worker: 0, task: null, need: null };
  return runTooltip({ kind: 'runWorker', run }, shown, readerAfter(seconds)) ?? '';
}

describe("the tooltip of a run's worker", () => {
  it('names its branch and its last commit with an age that goes on', () => {
    const lastCommit = {
      hash: '1a2b3c4',
      subject: 'ZERG [0]: Types\u001B[31m red',
      at: START - 60_000,
      ageSeconds: 60,
    };
    const tip = workerTip({ branch: 'zerg/auth/worker-0', lastCommit }, 30);
    expect(tip).toMatch(/Branch.*zerg.*auth.*worker.*0/);
    expect(tip).toMatch(/Last commit.*1a2b3c4 ZERG .*0.*: Types red .* 1m 30s ago/);
  });

  it('says nothing of commits where none is known', () => {
    expect(workerTip({})).not.toMatch(/Branch|Last commit/);
  });
});
