import { clipped, inlineText } from '../project/inlineText';
import { keyOf, type WrittenAntiPattern } from './mention';

const MAX_NAME = 120;
const MAX_FIX = 300;
const FIX_LABEL = /^(?:fix|instead|better|remedy|solution|исправление|решение|вместо этого|лучше)\s*[:—–-]\s*/i;
const ARROW = /→|->|=>/;

/** Whether a text says what to do instead, e.g. `Fix: name an owner`. */
export function isFix(text: string): boolean {
  return FIX_LABEL.test(inlineText(text));
}

/**
 * Reads one entry about something that went wrong: what comes first is its name (the bold words, else the first
 * sentence), what follows `Fix:`, `Instead:` or an arrow is the fix. Null where no name is left.
 */
export function readAntiPattern(markdown: string): WrittenAntiPattern | null {
  const [said = '', ...arrowed] = markdown.split(ARROW);
  const bold = /^\*\*([^*]+)\*\*/.exec(said.trim())?.[1];
  const sentences = sentencesOf(inlineText(said));
  const name = leadOf(bold === undefined ? (sentences[0] ?? '') : inlineText(bold));
  const key = keyOf(name);
  return key === '' ? null : { name, key, fix: fixOf(arrowed.join('→'), sentences) };
}

/** What a text that says what to do instead says. */
export function fixText(markdown: string): string {
  return clipped(withoutStop(inlineText(markdown).replace(FIX_LABEL, '')), MAX_FIX);
}

function fixOf(arrowed: string, sentences: readonly string[]): string | null {
  const fixAt = sentences.findIndex((sentence) => FIX_LABEL.test(sentence));
  const written = arrowed === '' ? sentences.slice(fixAt === -1 ? sentences.length : fixAt).join(' ') : arrowed;
  const text = fixText(written);
  return text === '' ? null : text;
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.;!?])\s+/);
}

function leadOf(sentence: string): string {
  return clipped(withoutStop(sentence.split(/\s[—–]\s|:\s/)[0] ?? ''), MAX_NAME);
}

function withoutStop(text: string): string {
  return text.replace(/[.;:!]$/, '').trim();
}
