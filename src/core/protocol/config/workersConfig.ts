import { defaultConfig, noLimits } from './configDefaults';
import type { ConfigDiagnostic, DefaultsConfig, WorkersConfig } from './configModel';
import {
  defaultsShape,
  featuresShape,
  projectLimitsShape,
  sessionShape,
  topShape,
  triggersShape,
  versionShape,
} from './configShapes';
import { ConfigSource } from './configSource';
import { readAgents } from './readAgents';
import { readTypes } from './readTypes';
import { withDefaults } from './withDefaults';

export type { ConfigDiagnostic, WorkersConfig };

/** What `.vscode/workers.json` says, with every fault that it has; the rest works. */
export interface ConfigReading {
  readonly config: WorkersConfig;
  /** In the order of the file. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/**
 * Reads `.vscode/workers.json` (config.md): JSON with comments. A faulty type or agent is left out whole, so that
 * nothing runs with less than its author asked for; elsewhere only the faulty key is. Each fault is reported at its
 * line. A file of another version is not read. Never throws.
 */
export function readWorkersConfig(text: string): ConfigReading {
  const source = new ConfigSource(text);
  const readable = !source.has(['version']) || source.read(['version'], versionShape, 'leave out the whole') !== null;
  const config = readable ? configOf(source) : defaultConfig;
  return { config, diagnostics: source.diagnostics };
}

function configOf(source: ConfigSource): WorkersConfig {
  const top = source.read([], topShape, 'leave out the key');
  const defaults = defaultsOf(source);
  const { limits, session, triggers, features } = defaultConfig;
  return {
    maxConcurrent: top?.maxConcurrent ?? null,
    limits: withDefaults(limits, source.read(['limits'], projectLimitsShape, 'leave out the key')),
    defaults,
    ...readTypes(source, defaults),
    agents: readAgents(source, defaults),
    session: withDefaults(session, source.read(['session'], sessionShape, 'leave out the key')),
    triggers: withDefaults(triggers, source.read(['triggers'], triggersShape, 'leave out the key')),
    features: withDefaults(features, source.read(['features'], featuresShape, 'leave out the key')),
  };
}

function defaultsOf(source: ConfigSource): DefaultsConfig {
  const { retry, limits, ...read } = source.read(['defaults'], defaultsShape, 'leave out the key') ?? {};
  return {
    ...withDefaults(defaultConfig.defaults, read),
    retry: withDefaults(defaultConfig.defaults.retry, retry ?? null),
    limits: withDefaults(noLimits, limits ?? null),
  };
}
