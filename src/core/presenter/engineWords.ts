import type { EngineSnapshot } from '../protocol/engines/engineSnapshot';
import { noEngineFacts, sumOfUsage } from '../protocol/engines/engineFacts';
import type { EngineUsage } from '../protocol/engines/engineEvent';
import { usedOn } from '../protocol/engines/usageMarks';
import type { FleetSnapshot } from '../protocol/snapshot';
import { plainLine } from './plainText';
import { joined } from './rowWords';
import type { Reader, Translate } from './words';

const NAME_LIMIT = 24;

/** What the model does at this moment: `Write report.md`; null between two steps. */
export function doingWords({ tool, file, retrying }: EngineSnapshot, t: Translate): string | null {
  if (retrying !== null) {
    return t('tries again: {0}', plainLine(retrying, NAME_LIMIT));
  }
  const name = file === null ? '' : baseName(file);
  return tool === null ? null : `${plainLine(tool, NAME_LIMIT)} ${name}`.trim();
}

function baseName(path: string): string {
  return plainLine(path.split(/[/\\]/).at(-1) ?? '', NAME_LIMIT);
}

/** `write refused: notes.md`, or null where no sandbox had to. */
export function refusedWords({ refused }: EngineSnapshot, t: Translate): string | null {
  return refused === null ? null : t('write refused: {0}', baseName(refused.last));
}

/** `$0.03`, or null where the engine does not say. Amounts below a cent are told with four places. */
export function costWords({ costUsd }: Pick<EngineUsage, 'costUsd'>): string | null {
  if (costUsd === null) {
    return null;
  }
  return `$${costUsd.toFixed(costUsd > 0 && costUsd < 0.01 ? 4 : 2)}`;
}

/** `12.3k in · 1.2k out · $0.03`; empty where nothing was used. */
export function usageWords(usage: EngineUsage, t: Translate): string {
  const { inputTokens, outputTokens } = usage;
  return inputTokens + outputTokens === 0
    ? (costWords(usage) ?? '')
    : joined(t('{0} in', countWords(inputTokens)), t('{0} out', countWords(outputTokens)), costWords(usage));
}

function countWords(count: number): string {
  if (count < 1_000) {
    return String(count);
  }
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** What was used on the reader's day: by workers that were started on it, and by session agents, which live for many days. */
export function usedToday(snapshots: readonly FleetSnapshot[], { now, dayAndTime }: Reader): EngineUsage {
  const day = (at: number): string => dayAndTime(at).slice(0, 10);
  const today = day(now);
  const isToday = (at: number): boolean => day(at) === today;
  return snapshots
    .flatMap(({ workers, session }) => [
      ...workers.filter(({ startedAt }) => isToday(startedAt)).flatMap(({ engine }) => engine?.usage ?? []),
      ...(session?.agents ?? []).map(({ usageMarks }) => usedOn(usageMarks, isToday)),
    ])
    .reduce<EngineUsage>(sumOfUsage, noEngineFacts.usage);
}
