import { counted } from '../project/counted';
import type { ProjectReader } from '../project/projectReader';
import { listResearches, type Research } from '../project/researches';
import { type Check, type CheckOutcome, conclude, type Finding } from './check';

const DAY_MS = 86_400_000;
/** An open case that nobody touched for longer is probably forgotten. */
const STALLED_DAYS = 14;
/** Half a year: prices, products and laws that a case rests on have moved. */
const OLD_DAYS = 180;
/** From so many completed cases on, a harvest is worth having (workers.md §6). */
const HARVEST_CASES = 3;

/** Open cases move, completed ones are not outdated, and the harvest has seen the newest. Ages are file times. */
export const dataFreshness: Check = {
  name: 'data-freshness',
  async run({ project, now }): Promise<CheckOutcome> {
    const researches = await listResearches(project);
    const completed = researches.filter(({ completedMs }) => completedMs !== null);
    const findings = [
      ...researches.flatMap((research) => judgeAge(research, now)),
      ...(await judgeHarvest(project, completed)),
    ];
    if (researches.length === 0) {
      return conclude('no cases in researches, so nothing can be out of date', []);
    }
    const open = researches.length - completed.length;
    return conclude(`${counted(researches.length, 'case')} up to date, ${open} of them open`, findings);
  },
};

function judgeAge({ slug, completedMs, changedMs }: Research, now: number): readonly Finding[] {
  if (completedMs !== null) {
    const days = daysBetween(completedMs, now);
    const advice = 'Look through cases older than half a year before you build on them.';
    return days > OLD_DAYS ? [{ level: 'warn', text: `${slug} was completed ${days} days ago`, advice }] : [];
  }
  if (changedMs === null) {
    return [{ level: 'warn', text: `${slug} has no files`, advice: 'Start or remove empty cases.' }];
  }
  const days = daysBetween(changedMs, now);
  const advice = 'Finish or archive cases that nobody works on.';
  return days > STALLED_DAYS ? [{ level: 'warn', text: `${slug} is open and untouched for ${days} days`, advice }] : [];
}

async function judgeHarvest(project: ProjectReader, completed: readonly Research[]): Promise<readonly Finding[]> {
  const harvest = await project.stat('TOOLKIT_HARVEST.md');
  const advice = 'Run a consolidate worker and review its harvest delta.';
  if (harvest === null) {
    const text = `${counted(completed.length, 'case is', 'cases are')} complete and there is no TOOLKIT_HARVEST.md`;
    return completed.length >= HARVEST_CASES ? [{ level: 'warn', text, advice }] : [];
  }
  const unseen = completed.filter(({ completedMs }) => completedMs !== null && completedMs > harvest.mtimeMs);
  const text = `TOOLKIT_HARVEST.md is older than ${counted(unseen.length, 'completed case')}`;
  return unseen.length > 0 ? [{ level: 'warn', text, advice }] : [];
}

function daysBetween(from: number, to: number): number {
  return Math.floor((to - from) / DAY_MS);
}
