import type { Evidence } from '../../core/protocol/snapshot';

/** One source's word with its age in whole seconds. */
export function evidenceJson(evidence: Evidence, at: number): object {
  const ageSeconds = evidence.at === null ? null : Math.max(0, Math.round((at - evidence.at) / 1000));
  return { source: evidence.source, says: evidence.says, ageSeconds };
}
