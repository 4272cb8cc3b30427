import type { FeatureSnapshot, FeaturesSnapshot } from '../../protocol/features/featureSnapshot';
import { featureDashboard, projectProgressLine, unattributedLines } from './featureDashboard';
import { taskTable, workerTable } from './featureTables';

/** Which tables stand under each dashboard. */
export interface FeatureTables {
  readonly tasks: boolean;
  readonly workers: boolean;
}

/** The dashboards of all features, or what stands in for them; empty where there is nothing. No final newline. */
export function featureText(project: string, snapshot: FeaturesSnapshot, tables: FeatureTables): string {
  const shown = snapshot.features.map((feature) => oneFeature(project, feature, tables).join('\n'));
  const { projectProgress } = snapshot;
  const rest = unattributedLines(snapshot);
  const others = [
    ...(rest.length === 0 ? [] : [['Of no single feature:', ...rest].join('\n')]),
    ...(projectProgress === null ? [] : [projectProgressLine(projectProgress)]),
  ];
  return [...shown, ...others].join('\n\n');
}

function oneFeature(project: string, feature: FeatureSnapshot, tables: FeatureTables): readonly string[] {
  return [
    ...featureDashboard(project, feature),
    ...(tables.tasks ? ['', ...taskTable(feature)] : []),
    ...(tables.workers ? ['', ...workerTable(feature)] : []),
  ];
}
