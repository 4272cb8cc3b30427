/**
 * What a spoiled file really says, found without any code of the product: by `JSON.parse` where it is JSON, else by
 * the words that stand in it as they are.
 */
export interface OracleWord {
  /** The status that the file says for certain; null where it says none. */
  readonly says: string | null;
  /** Whether a reader may rightly refuse the file. */
  readonly mayRefuse: boolean;
  /** Every status word that stands in the file in some form; a reader may show no other. */
  readonly possible: ReadonlySet<string>;
  /** Whose file it says to be; null where it says nothing for certain. */
  readonly names: unknown;
}

const MEANINGS: Readonly<Record<string, string>> = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  done: 'completed',
  error: 'failed',
  'in-progress': 'running',
  cancelled: 'stopped',
};

/** What a status.json of these bytes says. */
export function oracleOfStatus(bytes: Buffer): OracleWord {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const value = parsed(text);
  const possible = wordsIn(text);
  if (value === undefined || bytes.length > 64 * 1024 || depthOf(text) > 50) {
    return { says: null, mayRefuse: true, possible, names: null };
  }
  const { status = null, worker_id: names = null } = isRecord(value) ? value : {};
  const says = typeof status === 'string' ? meaningOf(status) : null;
  return { says, mayRefuse: says === null, possible: new Set(says === null ? [] : [says]), names };
}

/** The value, or undefined where this is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What a status word means; null for no word of the protocol. */
export function meaningOf(word: string): string | null {
  return MEANINGS[word.trim().toLowerCase().replaceAll('_', '-')] ?? null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The meanings of all words in quotation marks. */
function wordsIn(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(/(?<=")[^"\\]{1,30}(?=")/g)].map(([word]) => meaningOf(word));
  return new Set(words.filter((word) => word !== null));
}

/** At least how deep this text nests, taking every bracket for one. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of text.length > 200_000 ? '' : text) {
    depth += char === '[' || char === '{' ? 1 : char === ']' || char === '}' ? -1 : 0;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
