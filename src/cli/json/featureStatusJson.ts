import { featuresJson } from '../../core/protocol/features/featureJson';
import type { FeaturesSnapshot } from '../../core/protocol/features/featureSnapshot';
import type { ConfigDiagnostic } from '../../core/protocol/config/workersConfig';
import { configLine } from '../tellConfig';

/** What a look at feature runs was asked for, as far as it is told again. */
export interface FeatureAsked {
  /** `--at` as it was written; null for a look at now. */
  readonly at: string | null;
  readonly configDiagnostics: readonly ConfigDiagnostic[];
}

/** The part of `status --json` about feature runs (surfaces.md); `diagnostics` is free text of both protocols. */
export function featureStatusJson(snapshot: FeaturesSnapshot, { at, configDiagnostics }: FeatureAsked): object {
  return {
    ...featuresJson(snapshot),
    now: at ?? new Date(snapshot.at).toISOString(),
    diagnostics: [...configDiagnostics.map(configLine), ...snapshot.diagnostics],
    configDiagnostics,
  };
}
