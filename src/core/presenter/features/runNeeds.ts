import type { FeatureEscalation, FeatureSnapshot } from '../../protocol/features/featureSnapshot';
import { plainLine } from '../plainText';
import { joined } from '../rowWords';
import type { ShownRoot } from '../shownRoot';
import { type TreeNode, treeNode } from '../treeNode';
import type { Icon } from '../workerIcon';
import { spoken, type WorkerRow } from '../workerRow';
import type { Reader } from '../words';
import { workerName } from './taskNode';

/** What a feature run needs a person for. */
export interface RunNeed {
  /** The same for the same cause for ever. */
  readonly id: string;
  readonly kind: 'escalation' | 'error' | 'unreadable';
  /** Null where it belongs to no single feature. */
  readonly feature: string | null;
  /** Of an escalation. */
  readonly escalation: FeatureEscalation | null;
  /** In the words of the files; of a run that cannot be read the file that is damaged. */
  readonly text: string;
  /** Epoch milliseconds, as far as it is known. */
  readonly at: number | null;
}

function ofEscalation(escalation: FeatureEscalation, feature: string | null): RunNeed {
  const { worker, task, at, category, message } = escalation;
  const id = JSON.stringify(['escalation', feature, worker, task, at, category, message]);
  return { id, kind: 'escalation', feature, escalation, text: message ?? category ?? '', at };
}

function ofFeature(one: FeatureSnapshot): readonly RunNeed[] {
  const { feature, phase, error, startedAt, source } = one;
  const about = { feature, escalation: null, at: startedAt };
  const ended = phase === 'complete' || phase === 'complete_with_failures';
  return [
    ...one.escalations.filter(({ resolved }) => !resolved).map((each) => ofEscalation(each, feature)),
    ...(error === null || ended
      ? []
      : [{ ...about, id: JSON.stringify(['error', feature, error]), kind: 'error' as const, text: error }]),
    ...(phase === 'unreadable'
      ? [
          {
            ...about,
            id: JSON.stringify(['unreadable', feature]),
            kind: 'unreadable' as const,
            text: source ?? feature,
          },
        ]
      : []),
  ];
}

/** Open calls for help, errors of runs that have not ended, and runs that cannot be read; without what was put away. */
export function runNeedsOf({ features, dismissed }: Pick<ShownRoot, 'features' | 'dismissed'>): readonly RunNeed[] {
  if (features === undefined) {
    return [];
  }
  const loose = features.unattributedEscalations.filter(({ resolved }) => !resolved);
  const all = [...features.features.flatMap(ofFeature), ...loose.map((each) => ofEscalation(each, null))];
  return all.filter(({ id }) => dismissed?.has(id) !== true);
}

const ICONS: Readonly<Record<RunNeed['kind'], Icon>> = {
  escalation: { name: 'megaphone', color: 'list.warningForeground' },
  error: { name: 'error', color: 'testing.iconFailed' },
  unreadable: { name: 'question', color: 'list.warningForeground' },
};

/** What a need is about in a few words: `W2 asks for help`. */
export function runNeedLabel({ kind, feature, escalation }: RunNeed, { t }: Pick<Reader, 't'>): string {
  const name = plainLine(feature ?? '', 40);
  switch (kind) {
    case 'escalation':
      return escalation?.worker === null || escalation === null
        ? t('{0} asks for help', name === '' ? t('A worker') : name)
        : t('{0} asks for help', workerName(escalation.worker));
    case 'error':
      return t('{0}: error', name);
    case 'unreadable':
      return t('{0} unreadable', name);
  }
}

/** What a person is told about a need: the words of whoever needs them, or what is damaged and what they can do. */
export function runNeedText({ kind, text }: RunNeed, { t }: Pick<Reader, 't'>): string {
  const said = plainLine(text);
  return kind === 'unreadable' ? t('{0} is damaged: restore it, or let the run write it anew.', said) : said;
}

/** How a need of a feature run looks. */
export function runNeedRow(need: RunNeed, reader: Reader): WorkerRow {
  const label = runNeedLabel(need, reader);
  const { escalation, feature } = need;
  const about = escalation === null ? null : plainLine(escalation.task ?? feature ?? '', 40);
  const description = joined(runNeedText(need, reader), about);
  return {
    label,
    description,
    icon: ICONS[need.kind],
    contextValue: `run.need.${need.kind}`,
    accessibleLabel: spoken(label, description),
  };
}

/** A need's row in *Needs you*. */
export function runNeedNode(root: string, need: RunNeed, reader: Reader): TreeNode {
  const { feature, escalation, id } = need;
  return treeNode({
    ...runNeedRow(need, reader),
    kind: 'runNeed',
    id: `${root}#runNeed/${id}`,
    root,
    run: { feature, worker: escalation?.worker ?? null, task: escalation?.task ?? null, need: id },
  });
}
