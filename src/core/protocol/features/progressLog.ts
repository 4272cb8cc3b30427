import { workerKey } from './workerKey';

/** A line of `progress.md` that a worker wrote. */
export interface ProgressLine {
  /** As written. */
  readonly at: string;
  readonly worker: string;
  readonly what: 'started' | 'committed' | 'error' | 'other';
  readonly text: string;
}

const LINE = /^\[([^\]]{8,40})\] Worker (\w{1,20})( ERROR)?: ?(.*)$/;

/**
 * The workers' lines of a `progress.md`, in the order of the file (features.md §2). A last line without its end may be
 * half of one, so it is left out; null where such a half is all that there is.
 */
export function readProgressLog(text: string): readonly ProgressLine[] | null {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const told = linesIn(lines);
  return told.length === 0 && rest.trimStart().startsWith('[') ? null : told;
}

function linesIn(lines: readonly string[]): readonly ProgressLine[] {
  return lines.flatMap((line) => {
    const [, at, id, error, words] = LINE.exec(line.trim()) ?? [];
    const worker = workerKey(id);
    return at === undefined || worker === null || words === undefined
      ? []
      : [{ at, worker, what: error === undefined ? kindOf(words) : ('error' as const), text: words }];
  });
}

function kindOf(text: string): 'started' | 'committed' | 'other' {
  if (/^Started task\s/.test(text)) {
    return 'started';
  }
  return /^Committed\s/.test(text) ? 'committed' : 'other';
}

/** The task that a line is about: the last one of `known` that it names, else the word where an id belongs. */
export function taskOfLine({ what, text }: ProgressLine, known: ReadonlySet<string>): string | null {
  const words = text.split(/\s+/).map((word) => word.replace(/^[("'`[]+|[)"'`\],:;.]+$/g, ''));
  const named = words.findLast((word) => known.has(word));
  if (named !== undefined || what === 'error') {
    return named ?? words.findLast((word) => /^[A-Z][\w-]*-\d+$/.test(word)) ?? null;
  }
  const word = what === 'started' ? words[2] : words[1];
  return word === undefined || word === '' ? null : word;
}
