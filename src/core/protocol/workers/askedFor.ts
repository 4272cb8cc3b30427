import { type EngineName, engineNames, type IsolationName, isolationNames } from '../config/configModel';
import type { RegistryEntry } from './registryEntry';

/** What a start asks for instead of what the type's configuration says; a retry asks for the same. */
export interface AskedFor {
  readonly engine?: EngineName;
  readonly isolation?: IsolationName;
}

/** What of these words is an engine's or an isolation's name; a stranger may have written them. */
export function askedFor(engine: unknown, isolation: unknown): AskedFor {
  const knownEngine = engineNames.find((name) => name === engine);
  const knownIsolation = isolationNames.find((name) => name === isolation);
  return {
    ...(knownEngine === undefined ? {} : { engine: knownEngine }),
    ...(knownIsolation === undefined ? {} : { isolation: knownIsolation }),
  };
}

/** What the registry says that this worker's start asked for. */
export function askedForIn({ extra }: Pick<RegistryEntry, 'extra'>): AskedFor {
  return askedFor(extra['asked_engine'], extra['asked_isolation']);
}

/** The same as keys of the registry. */
export function askedForKeys({ engine, isolation }: AskedFor): RegistryEntry['extra'] {
  return {
    ...(engine === undefined ? {} : { asked_engine: engine }),
    ...(isolation === undefined ? {} : { asked_isolation: isolation }),
  };
}
