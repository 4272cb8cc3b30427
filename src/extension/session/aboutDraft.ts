/** A draft below what it is about, which is a comment in Markdown and no part of the text. */
export function withAbout(about: string, text: string): string {
  return `<!-- ${about.replaceAll('--', '- -')} -->\n\n${text}`;
}

/** The text of such a draft, trimmed; whole where the person took the comment out. */
export function withoutAbout(draft: string): string {
  return draft.replace(/^\s*<!--[^]*?-->/, '').trim();
}
