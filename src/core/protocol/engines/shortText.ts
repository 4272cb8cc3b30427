import { displayText } from '../workers/displayText';

const MAX_TEXT = 300;

/** A model's text on one line, safe to show, and no longer than 300 characters. */
export function shortText(text: string): string {
  // Cut before it is cleaned, so that a text of any length costs no more than a short one.
  const shown = [...displayText(text.slice(0, MAX_TEXT * 4))];
  return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT - 1).join('')}…` : shown.join('');
}
