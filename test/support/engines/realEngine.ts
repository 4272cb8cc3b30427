import type { EngineAdapter } from '../../../src/core/engines/engineAdapter';
import { engineAdapters } from '../../../src/core/engines/engineAdapters';
import { ModelEngine, noEngineSettings } from '../../../src/core/engines/modelEngine';
import type { WorkerType } from '../../../src/core/protocol/workers/workerType';
import { distDir } from '../testHost';
import { engineEndpoint } from './engineEndpoint';
import { enginePath, type RealEngineName } from './installEngines';

/** Opens nothing anywhere. */
export const DUMMY_KEY = 'dummy-key-of-the-tests';

export const workerType: WorkerType = {
  name: 'health-check',
  description: 'Looks at the project',
  model: 'haiku',
  template: 'health-check.md',
  mayWrite: ['reports'],
  command: null,
  engine: 'auto',
  env: {},
  graceSeconds: null,
  source: 'protocol',
};

function adapterNamed(name: string): EngineAdapter {
  const adapter = engineAdapters.find((candidate) => candidate.name === name);
  if (adapter === undefined) {
    throw new Error(`there is no adapter ${name}`);
  }
  return adapter;
}

/** A real program as an engine that asks the model at `url`, and the variables by which it finds it. */
export function engineFor(
  name: RealEngineName,
  bin: string,
  url: string,
): { readonly engine: ModelEngine; readonly env: Readonly<Record<string, string>> } {
  const { own, configured, settings } = engineEndpoint(name, url, DUMMY_KEY);
  const place = { program: enginePath(bin, name), distDir };
  const engine = new ModelEngine(adapterNamed(name), place, { ...noEngineSettings, ...settings });
  return { engine, env: { ...own, ...configured } };
}
