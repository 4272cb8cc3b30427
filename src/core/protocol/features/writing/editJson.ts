import { applyEdits, type Edit, type JSONPath, modify } from 'jsonc-parser';

/** What a value of a JSON text becomes. A last step of -1 adds to the end of a list. */
export interface JsonEdit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
/** Characters. The formatter goes over the whole line of an edit, and takes minutes for one of some megabytes. */
const LONGEST_FORMATTED_LINE = 64 * 1024;

/**
 * Changes a JSON text of another program where the edits say, and nowhere else: unknown fields, the order of keys and
 * the way numbers are written stay. The text must be JSON. What is written in is pure ASCII, as Python writes it, and
 * stands in lines of its own unless the text has very long lines.
 */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  const options = hasLongLine(text) ? {} : { formattingOptions };
  return edits.reduce((edited, { path, value }) => {
    const jsonPath: JSONPath = [...path];
    return applyEdits(edited, modify(edited, jsonPath, value, options).map(inAscii));
  }, text);
}

function hasLongLine(text: string): boolean {
  for (let begin = 0, end = 0; end !== -1; begin = end + 1) {
    end = text.indexOf('\n', begin);
    if ((end === -1 ? text.length : end) - begin > LONGEST_FORMATTED_LINE) {
      return true;
    }
  }
  return false;
}

function inAscii(edit: Edit): Edit {
  return { ...edit, content: asciiJson(edit.content) };
}

/** The same JSON with `\uXXXX` for whatever is not ASCII, so that no reader needs to know its encoding. */
export function asciiJson(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
