import type { ChildProcess } from 'node:child_process';

/** The run of a feature that is played in a sample. */
export interface FeaturePlay {
  readonly player: ChildProcess;
  /** Ends it and takes the run's folders away. */
  readonly end: () => Promise<void>;
}

export function playFeatures(sample: string): FeaturePlay;
