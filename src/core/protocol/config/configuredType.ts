import type { WorkerType } from '../workers/workerType';
import type { WorkersConfig } from './configModel';

/**
 * A type of the protocol as `workers.json` wants it to run: its override, else the defaults of the file. What the type
 * is, its model above all, stays the protocol's (workers.md §2).
 */
export function configuredType(type: WorkerType, config: WorkersConfig): WorkerType {
  const run = config.overrides.find(({ name }) => name === type.name) ?? config.defaults;
  return { ...type, engine: run.engine, isolation: run.isolation, env: run.env, graceSeconds: run.graceSeconds };
}
