const ELLIPSIS = '…';

/**
 * One line of Markdown as plain text: links and images become their words, marks of emphasis and code, HTML tags and
 * control characters go, blanks are joined. The answer can stand in a Markdown list without changing its structure.
 */
export function inlineText(markdown: string): string {
  return markdown
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[*`~<>[\]|\\]|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
}

/** At most `max` characters, cut between words where there is a blank to cut at. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) {
    return text;
  }
  const start = [...text.slice(0, max)].slice(0, -1).join('');
  const blank = start.lastIndexOf(' ');
  return `${blank > max / 2 ? start.slice(0, blank) : start}${ELLIPSIS}`;
}
