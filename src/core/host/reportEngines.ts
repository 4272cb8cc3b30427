import type { Engine } from '../engines/engine';
import { engineAdapters } from '../engines/engineAdapters';
import type { Result } from '../base/result';
import type { EngineReport } from './api';
import type { CallerEnv, HostContext } from './hostContext';

/**
 * What there is of every engine, asked anew, and which types a start would give to it. In an untrusted workspace the
 * project's own environment is left out: with a PATH in it the project would choose what is run here.
 */
export async function reportEngines(
  { engines, types, trusted }: Pick<HostContext, 'engines' | 'types' | 'trusted'>,
  env: CallerEnv,
): Promise<readonly EngineReport[]> {
  const findings = await engines.findAll(env);
  const { types: all, config } = await types.load();
  const uses = new Map<string, Result<Engine, string>>();
  for (const type of all) {
    const configured = trusted ? { ...config.defaults.env, ...type.env } : {};
    uses.set(type.name, await engines.engineFor(type, { ...env, ...configured }));
  }
  return engineAdapters.flatMap((adapter) => {
    const { name, installCommand, loginCommand } = adapter;
    const finding = findings.find((one) => one.name === name);
    const used = [...uses].flatMap(([type, engine]) => (engine.ok && engine.value.name === name ? [type] : []));
    const runsUnasked = engines.runsUnasked(adapter) ? adapter.runsUnasked : [];
    return finding === undefined ? [] : [{ ...finding, types: used, installCommand, loginCommand, runsUnasked }];
  });
}
