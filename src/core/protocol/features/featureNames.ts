import type { FeatureSources, StateFile } from './featureSources';

/** Every feature that the files know, by name, with its states. */
export function featuresIn(sources: FeatureSources): ReadonlyMap<string, readonly StateFile[]> {
  const states = new Map<string, StateFile[]>();
  for (const file of sources.states) {
    const name = file.feature ?? nameInside(file, sources);
    if (name !== null) {
      states.set(name, [...(states.get(name) ?? []), file]);
    }
  }
  const designed = sources.graphs.map(({ feature }) => feature);
  const logged = sources.progressLogs.filter(({ value }) => (value?.length ?? 0) > 0).map(({ feature }) => feature);
  const names = [...new Set([...states.keys(), ...designed, ...logged])].sort();
  return new Map(names.map((name) => [name, states.get(name) ?? []]));
}

/** `.zerg/state.json` says its feature inside; where it does not, it can only be the current or the only one. */
function nameInside({ value }: StateFile, { currentFeature, graphs }: FeatureSources): string | null {
  const [only] = graphs;
  return value?.feature ?? currentFeature ?? (graphs.length === 1 && only !== undefined ? only.feature : null);
}
