import { limitsOf } from '../protocol/config/limitsOf';
import type { WorkersConfig } from '../protocol/config/workersConfig';
import type { IsolationLevel } from '../protocol/keeper/isolationRecord';
import type { KeeperSpec, OutputLimits } from '../protocol/keeper/keeperSpec';

const MEGABYTE = 1024 * 1024;

/** The part of a keeper's spec that the configuration's `limits` decide (lifecycle §9). */
export function fuseSettings(
  type: string,
  config: WorkersConfig,
  output: OutputLimits,
  level: IsolationLevel,
): Pick<KeeperSpec, 'limits' | 'fuses'> {
  const { minutes, memoryMB, outputMB, costUsd } = limitsOf(type, config);
  const bytes = outputMB === null ? null : Math.ceil(outputMB * MEGABYTE);
  return {
    limits: bytes === null ? output : { ...output, rawBytes: bytes, logBytes: bytes },
    // A container has its limit from its engine; the process that stands for it is not the worker.
    fuses: { minutes, memoryMB: level === 'container' ? null : memoryMB, costUsd },
  };
}
