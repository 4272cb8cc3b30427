import type { EngineSettings } from './engineAdapter';
import { engineAdapters } from './engineAdapters';
import { type EngineFinding, isUsable } from './engineFinding';
import { ModelEngine, noEngineSettings } from './modelEngine';

/** The engines that ask a model and can be started here, for `selectEngine`. */
export interface FoundEngines {
  /** Those that `auto` may take, in its order. */
  readonly automatic: readonly ModelEngine[];
  /** Those that only a type's own word reaches: experimental ones, and those of whose login nothing is known. */
  readonly named: readonly ModelEngine[];
}

/** The engines that the findings leave, with the person's settings; `distDir` is where our bundles lie, absolute. */
export function foundEngines(
  findings: readonly EngineFinding[],
  settings: Readonly<Record<string, EngineSettings>>,
  distDir: string,
): FoundEngines {
  const engines = engineAdapters.flatMap((adapter) => {
    const finding = findings.find(({ name }) => name === adapter.name);
    if (finding === undefined || finding.path === null || finding.trouble !== null) {
      return [];
    }
    const place = { program: finding.path, distDir };
    const engine = new ModelEngine(adapter, place, settings[adapter.name] ?? noEngineSettings);
    return [{ engine, isAutomatic: isUsable(finding) }];
  });
  return {
    automatic: engines.flatMap(({ engine, isAutomatic }) => (isAutomatic ? [engine] : [])),
    named: engines.flatMap(({ engine, isAutomatic }) => (isAutomatic ? [] : [engine])),
  };
}
