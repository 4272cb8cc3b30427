import type { Engine } from '../engines/engine';
import { engineAdapters } from '../engines/engineAdapters';
import type { Result } from '../base/result';
import type { EngineReport } from './api';
import type { CallerEnv, HostContext } from './hostContext';

/** What there is of every engine, asked anew, and which types a start would give to it. */
export async function reportEngines(
  { engines, types }: Pick<HostContext, 'engines' | 'types'>,
  env: CallerEnv,
): Promise<readonly EngineReport[]> {
  const findings = await engines.findAll(env);
  const { types: all, config } = await types.load();
  const uses = new Map<string, Result<Engine, string>>();
  for (const type of all) {
    uses.set(type.name, await engines.engineFor(type, { ...env, ...config.defaults.env, ...type.env }));
  }
  return engineAdapters.flatMap((adapter) => {
    const { name, installCommand, loginCommand } = adapter;
    const finding = findings.find((one) => one.name === name);
    const used = [...uses].flatMap(([type, engine]) => (engine.ok && engine.value.name === name ? [type] : []));
    const runsUnasked = engines.runsUnasked(adapter) ? adapter.runsUnasked : [];
    return finding === undefined ? [] : [{ ...finding, types: used, installCommand, loginCommand, runsUnasked }];
  });
}
