import type { LimitsConfig, WorkersConfig } from './configModel';

/** The fuses of a type: its own, its override's, or the defaults of the file. */
export function limitsOf(type: string, config: WorkersConfig): LimitsConfig {
  const run = [...config.types, ...config.overrides].find(({ name }) => name === type);
  return (run ?? config.defaults).limits;
}
