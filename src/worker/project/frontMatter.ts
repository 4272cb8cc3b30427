const BLOCK = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[^\S\n]*(?:\r?\n|$)/;
const ENTRY = /^([ \t]*)([\w-]+)[ \t]*:[ \t]*(.*)$/;

/** The text between the two `---` lines at the head of a file; empty where there is none. */
export function frontMatterBlock(text: string): string {
  return BLOCK.exec(text)?.[1] ?? '';
}

/** What follows the front matter; the whole text where there is none. */
export function withoutFrontMatter(text: string): string {
  const block = BLOCK.exec(text);
  return block === null ? text : text.slice(block[0].length);
}

/**
 * The values of the front matter's top level by lower-case key, each as one line of text: what YAML writes over several
 * lines is joined by blanks, and a list by `, `. Anything deeper than that is passed over.
 */
export function readFrontMatter(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let key: string | null = null;
  for (const line of frontMatterBlock(text).split(/\r?\n/)) {
    const [, indent, name, value] = ENTRY.exec(line) ?? [];
    if (indent === '' && name !== undefined && value !== undefined) {
      key = name.toLowerCase();
      values.set(key, scalarOf(value));
    } else if (key !== null && /^\s|^-/.test(line)) {
      values.set(key, continued(values.get(key) ?? '', line.trim()));
    }
  }
  return values;
}

/** Block marks such as `>-` announce lines that follow; a list in brackets becomes its entries. */
function scalarOf(value: string): string {
  const quoted = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(value.trim())?.[2];
  if (quoted !== undefined) {
    return quoted;
  }
  const plain = value.replace(/(?:^|\s)#.*$/, '').trim();
  const list = /^\[(.*)\]$/.exec(plain)?.[1];
  if (list !== undefined) {
    return list
      .split(',')
      .map((entry) => unquoted(entry.trim()))
      .join(', ');
  }
  return /^[|>][+-]?\d?$/.test(plain) ? '' : plain;
}

function continued(before: string, line: string): string {
  const entry = /^-\s+(.*)$/.exec(line)?.[1];
  const [added, glue] = entry === undefined ? [line, ' '] : [unquoted(entry), ', '];
  return before === '' || added === '' ? before + added : before + glue + added;
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}
