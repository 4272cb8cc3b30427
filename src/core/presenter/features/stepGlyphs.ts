import type { WorkerHeartbeat } from '../../protocol/features/featureSnapshot';
import { plainLine } from '../plainText';

const GLYPHS: Readonly<Record<string, string>> = {
  completed: '✅',
  complete: '✅',
  in_progress: '🔄',
  pending: '⏳',
  failed: '❌',
  skipped: '⏭️',
};
const UNKNOWN = '❔';
const MAX_STEPS = 30;

/** The steps of a worker's task, `[3/5: ✅✅🔄⏳⏳]`; null where its heartbeat counts none. */
export function stepGlyphs({ currentStep, totalSteps, stepStates }: WorkerHeartbeat): string | null {
  if (currentStep === null || totalSteps === null) {
    return null;
  }
  const glyphs = (stepStates ?? []).slice(0, MAX_STEPS).map((state) => GLYPHS[state] ?? UNKNOWN);
  const counted = `${String(currentStep)}/${String(totalSteps)}`;
  return glyphs.length === 0 ? `[${counted}]` : `[${counted}: ${glyphs.join('')}]`;
}

/** How far a worker is with its task: steps where it counts them, else the name of its step; then its percentage. */
export function stepProgress(heartbeat: WorkerHeartbeat | null): string {
  if (heartbeat === null) {
    return '';
  }
  const steps = stepGlyphs(heartbeat) ?? plainLine(heartbeat.step ?? '', 30);
  const percent = heartbeat.progressPct === null ? '' : `${String(Math.round(heartbeat.progressPct))}%`;
  return [steps, percent].filter((part) => part !== '').join(' ');
}
