import { isDomainLabel } from '../project/caseDomain';
import type { PatternType } from './mention';

/** What the entries below a heading are; `anti` are things that went wrong. */
export type SectionKind = PatternType | 'anti';

/** In this order: `Anti-patterns` are no patterns, and a technology pattern is about technology. */
const KINDS: readonly (readonly [SectionKind, RegExp])[] = [
  [
    'anti',
    /anti-?\s?pattern|\blessons?\b|what (did not|didn['’]t|does not|doesn['’]t) work|what failed|pitfall|mistake|анти-?паттерн|урок|что не (сработало|получилось)|ошибк/i,
  ],
  ['technology', /technolog|\bstack\b|\btools?\b|\btooling\b|технолог|стек|инструмент/i],
  ['domain', /\bdomain|\bindustry\b|\bregulat|домен|отрасл/i],
  ['solution', /pattern|\bsolutions?\b|best practice|what worked|паттерн|решени|что сработало/i],
];

/** What the entries below this heading are, or null where its words say nothing about it. */
export function sectionKindOf(heading: string): SectionKind | null {
  return KINDS.find(([, words]) => words.test(heading))?.[0] ?? null;
}

const LABELS: ReadonlyMap<string, SectionKind> = new Map([
  ...['anti-pattern', 'anti-patterns', 'antipattern', 'anti pattern', 'антипаттерн', 'анти-паттерн'].map(
    (label) => [label, 'anti'] as const,
  ),
  ...['technology', 'technologies', 'tech stack', 'stack', 'tools', 'технологии', 'стек'].map(
    (label) => [label, 'technology'] as const,
  ),
  ...['pattern', 'patterns', 'tags', 'keywords', 'паттерн', 'паттерны', 'теги'].map(
    (label) => [label, 'solution'] as const,
  ),
]);

/** What stands after a label such as `Tags`, or null. `label` is lower-case. */
export function labelKindOf(label: string): SectionKind | null {
  return isDomainLabel(label) ? 'domain' : (LABELS.get(label) ?? null);
}

/** Headings that say how a case is built, not what it found; as keys. */
const STRUCTURE: ReadonlySet<string> = new Set(
  (
    'summary,executive summary,brief,findings,question,questions,open questions,hypotheses,hypothesis,sources,references,' +
    'introduction,intro,overview,background,context,conclusion,conclusions,method,methods,methodology,appendix,next steps,' +
    'recommendation,recommendations,options,results,discussion,scope,goal,goals,risks,timeline,contents,table of contents,' +
    'notes,metrics,limitations,problem,problem statement,analysis,decision,verdict,status,' +
    'резюме,введение,контекст,выводы,вывод,заключение,источники,цели,цель,риски,приложение,рекомендации,результаты,обзор,' +
    'следующие шаги,проблема'
  ).split(','),
);

/** Whether a heading only says how a case is built. `key` comes from `keyOf`. */
export function isStructure(key: string): boolean {
  return STRUCTURE.has(key);
}
