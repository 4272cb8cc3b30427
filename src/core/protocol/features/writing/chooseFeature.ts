import { fail, ok, type Result } from '../../../base/result';
import { displayText } from '../../workers/displayText';
import type { FeatureSources } from '../featureSources';
import type { RunRefusal } from './runRefusal';

/** More names than these help nobody. */
const MAX_LISTED = 10;

/** What a write says of its feature. */
export interface FeatureWish {
  readonly feature: string | null;
  readonly task: string | null;
}

/** What is known of the features of a project before one of them is written to. */
export type FeatureChoices = Pick<FeatureSources, 'graphs' | 'currentFeature'> & {
  /** Names of files and folders that stand for features: only of these is a path ever made. */
  readonly names: ReadonlySet<string>;
};

/** The feature that a write is for: the one named, else the one whose graph has the task, else the current one (§4). */
export function chooseFeature(wish: FeatureWish, choices: FeatureChoices): Result<string, RunRefusal> {
  if (wish.feature !== null) {
    return known(wish.feature, choices);
  }
  const { graphs, currentFeature } = choices;
  const task = wish.task ?? '';
  const designed = graphs.filter(({ value }) => value?.tasks.has(task) === true).map(({ feature }) => feature);
  const [only, another] = designed;
  if (only !== undefined && another === undefined) {
    return known(only, choices);
  }
  if (currentFeature !== null && (only === undefined || designed.includes(currentFeature))) {
    return known(currentFeature, choices);
  }
  return fail(
    only === undefined
      ? { code: 'not-found', message: 'No graph names this task, and no feature is the current one. Add --feature.' }
      : {
          code: 'ambiguous',
          message: `${displayText(task)} is a task of ${listed(designed)}. Add --feature with one of them.`,
        },
  );
}

function known(feature: string, { names }: FeatureChoices): Result<string, RunRefusal> {
  if (names.has(feature)) {
    return ok(feature);
  }
  const here = names.size === 0 ? 'There is none here' : `There are ${listed([...names].sort())}`;
  const message = `"${displayText(feature)}" is no feature of this project. ${here}; design it first, or use --feature.`;
  return fail({ code: 'not-found', message });
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map(displayText);
  const last = names.length > MAX_LISTED ? `${names.length - MAX_LISTED} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last}`;
}
