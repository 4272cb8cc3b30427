import type { FeaturesSnapshot } from '../protocol/features/featureSnapshot';
import type { FleetSnapshot } from '../protocol/snapshot';

/** What a surface shows of one root. */
export interface ShownRoot extends FleetSnapshot {
  /** The feature runs of other sessions; absent where none are followed. */
  readonly features?: FeaturesSnapshot;
  /** Ids of needs of feature runs that the person has put away. */
  readonly dismissed?: ReadonlySet<string>;
}
