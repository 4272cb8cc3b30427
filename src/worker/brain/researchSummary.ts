import { statedDomain } from '../project/caseDomain';
import { clipped, inlineText } from '../project/inlineText';
import type { ProjectReader } from '../project/projectReader';
import { readMarkdown } from '../project/readMarkdown';
import { readOptionalText } from '../project/readOptionalText';
import { isCompleted, SUMMARY } from '../project/researches';

/** A case as an export has it (workers.md §2). */
export interface ResearchSummary {
  readonly slug: string;
  /** As the case states it, or `unknown`. */
  readonly domain: string;
  readonly status: 'completed' | 'incomplete';
  /** Quoted from the case, at most three sentences; empty where it has no text yet. */
  readonly summary: string;
}

const MAX_SENTENCES = 3;
const MAX_SUMMARY = 600;

/** What a case says about itself: in its summary, else in what it was opened with. */
export async function readSummary(project: ProjectReader, slug: string): Promise<ResearchSummary> {
  const completed = await isCompleted(project, slug);
  const texts: string[] = [];
  for (const file of await filesOf(project, slug)) {
    texts.push((await readOptionalText(project, file)) ?? '');
  }
  const domain = texts.map(statedDomain).find((stated) => stated !== null);
  const summary = texts.map(openingSentences).find((text) => text !== '');
  return { slug, domain: domain ?? 'unknown', status: completed ? 'completed' : 'incomplete', summary: summary ?? '' };
}

/** The files that say what a case is about, the one that says it best first. */
async function filesOf(project: ProjectReader, slug: string): Promise<readonly string[]> {
  const entries = (await project.list(`researches/${slug}`)) ?? [];
  const openings = entries
    .filter(({ name, kind }) => kind === 'file' && /^00.*\.md$/i.test(name))
    .map(({ name }) => name);
  return [SUMMARY, ...openings, 'README.md'].map((name) => `researches/${slug}/${name}`);
}

/** The first sentences of a text's first paragraph. Headings and lists are passed over. */
export function openingSentences(text: string): string {
  const lines: string[] = [];
  for (const block of readMarkdown(text)) {
    if (block.kind === 'text' && (lines.length === 0 || !block.opens)) {
      lines.push(block.text);
    } else if (lines.length > 0) {
      break;
    }
  }
  const sentences = inlineText(lines.join(' ')).split(/(?<=[.!?])\s+/);
  return clipped(sentences.slice(0, MAX_SENTENCES).join(' '), MAX_SUMMARY);
}
