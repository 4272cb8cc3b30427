import * as z from 'zod/mini';
import { parseLooseJson } from './looseJson';
import { formatTimestamp, parseTimestamp } from './timestamp';

export const SUGGESTIONS_MAX_BYTES = 256 * 1024;

/** Older answers are dropped beyond this many; each bto-test brings one. */
const MAX_ANSWERS = 500;

/** What a person made of a suggestion. */
export type Answer = 'started' | 'dismissed';

/** What is remembered about suggestions. */
export interface SuggestionMemory {
  /** By suggestion id, oldest first. */
  readonly answers: ReadonlyMap<string, { readonly answer: Answer; readonly at: string }>;
  /** When somebody last told of a bto-test that left nothing on disk, epoch milliseconds, or null. */
  readonly btoTestAt: number | null;
}

export const nothingRemembered: SuggestionMemory = { answers: new Map(), btoTestAt: null };

const answerShape = z.object({ answer: z.enum(['started', 'dismissed']), at: z.string() });
const documentShape = z.object({
  version: z.literal(1),
  btoTestAt: z.nullable(z.string()),
  answers: z.record(z.string(), z.unknown()),
});

/** Reads `suggestions.json`. What is none is left out; a document that is not ours remembers nothing. Never throws. */
export function readSuggestionDocument(text: string): SuggestionMemory {
  const parsed = parseLooseJson(text);
  const document = documentShape.safeParse(parsed.ok ? parsed.value : null);
  if (!document.success) {
    return nothingRemembered;
  }
  const answers = Object.entries(document.data.answers).flatMap(([id, value]) => {
    const answer = answerShape.safeParse(value);
    return answer.success ? [[id, answer.data] as const] : [];
  });
  return { answers: new Map(answers), btoTestAt: parseTimestamp(document.data.btoTestAt) };
}

/** `suggestions.json` with this memory. */
export function formatSuggestionDocument({ answers, btoTestAt }: SuggestionMemory): string {
  const kept = Object.fromEntries([...answers].slice(-MAX_ANSWERS));
  const document = { version: 1, btoTestAt: btoTestAt === null ? null : formatTimestamp(btoTestAt), answers: kept };
  return `${JSON.stringify(document, null, 2)}\n`;
}
