import { exportBrain } from './brain/exportBrain';
import type { BuiltinType } from './builtinType';
import { consolidate } from './consolidate/consolidate';
import { healthCheck } from './health/healthCheck';
import { patternAnalysis } from './rewards/patternAnalysis';

/** The worker types that this process can do, by name. */
export const builtinTypes: ReadonlyMap<string, BuiltinType> = new Map<string, BuiltinType>([
  ['consolidate', consolidate],
  ['export-brain', exportBrain],
  ['health-check', healthCheck],
  ['pattern-analysis', patternAnalysis],
]);
