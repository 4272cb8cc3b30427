import type { RetryConfig, WorkersConfig } from './configModel';

/** How failed workers of a type are retried: as the type says, else as the defaults of `workers.json` say. */
export function retryRuleOf(type: string, config: WorkersConfig): RetryConfig {
  const said = [...config.types, ...config.overrides].find(({ name }) => name === type);
  return (said ?? config.defaults).retry;
}
