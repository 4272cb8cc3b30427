import type { Clock } from '../../src/core/base/clock';
import { toDisposable } from '../../src/core/base/disposable';
import { deriveFeatures } from '../../src/core/protocol/features/deriveFeatures';
import { defaultThresholds, type FeaturesSnapshot } from '../../src/core/protocol/features/featureSnapshot';
import { utcInstant } from '../../src/core/protocol/features/instant';
import { filesAlone, type LiveEvidence } from '../../src/core/protocol/features/liveEvidence';
import { namedZone, utcZone } from '../../src/core/protocol/features/zone';
import { FeatureReader } from '../../src/core/readers/features/featureReader';

/** The machine's time, but nobody waits. */
const hastyClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(_delayMs, run) {
    const timer = setImmediate(run);
    return toDisposable(() => {
      clearImmediate(timer);
    });
  },
};

export interface FeatureLookRequest {
  readonly root: string;
  /** ISO 8601. */
  readonly now: string;
  readonly home?: string;
  readonly tz?: string;
  readonly taskHomes?: readonly string[];
  readonly live?: LiveEvidence;
  readonly grace?: boolean;
}

/** What the files of a project say at an instant: the reader and the rules together, without a host. */
export async function lookAtFeatures(
  request: FeatureLookRequest,
  reader = readerOf(request.root, request.home),
): Promise<FeaturesSnapshot> {
  const { tz, live = filesAlone, grace = false } = request;
  const zone = tz === undefined ? utcZone : namedZone(tz);
  const now = utcInstant(request.now);
  if (zone === null || now === null) {
    throw new Error('The test names no zone or no instant.');
  }
  const sources = await reader.read(request.taskHomes ?? []);
  return deriveFeatures(sources, { now, zone, thresholds: defaultThresholds, live, grace });
}

export function readerOf(root: string, home?: string): FeatureReader {
  return new FeatureReader({ root, home: home ?? null, clock: hastyClock });
}
