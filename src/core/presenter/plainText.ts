import { displayText } from '../protocol/workers/displayText';

// Built from code points so that no control character stands in this file.
const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
const TERMINAL_SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)|[@-Z\\\\-_])`,
  'g',
);
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * Text from a file, fit for one line of a surface: terminal sequences, control and invisible characters (also those
 * that turn the reading direction) are gone, white space is single, and the end is cut at `limit` characters with `…`
 * (lifecycle §10).
 */
export function plainLine(text: string, limit = 200): string {
  const line = displayText(text).replace(INVISIBLE, '');
  const characters = [...line];
  return characters.length <= limit
    ? line
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
}

/** Log text without terminal sequences and control characters; line ends and tabs stay. */
export function plainLog(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCES, '')
    .replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? character : ''));
}

/** A line that Markdown shows letter by letter: no link, image, icon, HTML or table cell can come out of it. */
export function escapeMarkdown(line: string): string {
  return line.replace(PUNCTUATION, '\\$&');
}

/** A line for a notification, which would otherwise turn `[text](command:…)` into a link that runs. */
export function noticeText(text: string): string {
  return plainLine(text, 300).replaceAll('](', '] (');
}
