import type {
  DefaultsConfig,
  FeaturesConfig,
  LimitsConfig,
  SessionConfig,
  TriggersConfig,
  WorkersConfig,
} from './configModel';

/** No fuse of its own. */
export const noLimits: LimitsConfig = { minutes: null, outputMB: null, memoryMB: null, costUsd: null };

const defaults: DefaultsConfig = {
  engine: 'auto',
  isolation: 'auto',
  retry: { automatic: 'transient', max: 2 },
  graceSeconds: null,
  limits: noLimits,
  env: {},
};

const session: SessionConfig = {
  dir: '.claude/session',
  mode: 'event-driven',
  compatiblePipeNames: true,
  maxIterations: null,
};

const triggers: TriggersConfig = { consolidateAfterCases: 3, healthCheckAfterBtoTest: true };

const features: FeaturesConfig = { taskHomes: [], lateSeconds: null, staleSeconds: null, silentSeconds: null };

/** What holds where there is no `.vscode/workers.json`. */
export const defaultConfig: WorkersConfig = {
  maxConcurrent: null,
  limits: { totalLogsMB: null },
  defaults,
  types: [],
  overrides: [],
  agents: [],
  session,
  triggers,
  features,
};
