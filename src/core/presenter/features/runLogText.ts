import { type JsonRecord, readRecord, textAt } from '../../protocol/features/jsonFields';
import { utcInstant } from '../../protocol/features/instant';
import { plainLine, plainLog } from '../plainText';
import type { Reader } from '../words';

/** A piece of one log file of a run's worker. */
export interface RunLogPiece {
  readonly kind: 'events' | 'stdout' | 'stderr' | 'text';
  /** What tells its file from the others. */
  readonly file: string;
  readonly text: string;
  readonly reset: boolean;
}

export interface RunLogTextOptions {
  /** Lines that name another feature are left out: workers of all features write into one file. */
  readonly feature: string;
  /** How a file is called in the head over its lines. */
  readonly nameOf: (file: string) => string;
  readonly reader: Pick<Reader, 't' | 'timeOfDay'>;
}

const LINE_LIMIT = 4_000;

/** What the line says beside its words, in this order. */
const DETAILS = ['task_id', 'phase', 'event'] as const;
const SHOWN = new Set<string>(['ts', 'timestamp', 'level', 'worker_id', 'feature', 'message', ...DETAILS]);

/** `15:58:33 info  Claimed task A-1  [A-1 execute]`; null for a line of another feature. */
function runLogLine(line: string, { feature, reader }: Pick<RunLogTextOptions, 'feature' | 'reader'>): string | null {
  const record = line.startsWith('{') ? readRecord(line) : null;
  if (record === null) {
    return plainLine(line, LINE_LIMIT);
  }
  const of = textAt(record, 'feature');
  return of !== null && of !== feature ? null : eventText(record, reader);
}

function eventText(record: JsonRecord, { timeOfDay }: Pick<Reader, 'timeOfDay'>): string {
  const at = utcInstant(textAt(record, 'ts') ?? textAt(record, 'timestamp'));
  const level = plainLine(textAt(record, 'level') ?? '', 10).padEnd(5);
  const said = textAt(record, 'message') ?? textAt(record, 'event') ?? '';
  const details = DETAILS.map((key) => textAt(record, key)).filter((text) => text !== null && text !== said);
  const others = Object.entries(record).filter(([key]) => !SHOWN.has(key));
  const beside = [
    details.length === 0 ? '' : `[${details.join(' ')}]`,
    others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others)),
  ];
  const parts = [said, ...beside].filter((part) => part !== '').map((part) => plainLine(part, LINE_LIMIT));
  return `${at === null ? '--:--:--' : timeOfDay(at)} ${level} ${parts.join('  ')}`;
}

/**
 * Makes one readable text of the logs of a run's worker, as they grow: JSON lines as sentences, what a terminal would
 * have coloured as plain text, and a head wherever another file goes on. Lines come whole.
 */
export class RunLogText {
  readonly #options: RunLogTextOptions;
  readonly #begun = new Map<string, string>();
  #file: string | null = null;

  constructor(options: RunLogTextOptions) {
    this.#options = options;
  }

  /** What is new in the text; empty where no line has come to its end, or none is about the feature. */
  add({ kind, file, text, reset }: RunLogPiece): string {
    const lines = `${reset ? '' : (this.#begun.get(file) ?? '')}${text}`.split(/\r\n|[\r\n]/);
    this.#begun.set(file, lines.pop() ?? '');
    const shown = lines.flatMap((line) => {
      const plain = kind === 'events' ? runLogLine(line, this.#options) : plainLog(line);
      return plain === null ? [] : [plain];
    });
    return shown.length === 0 ? '' : `${this.#head(file, reset)}${shown.join('\n')}\n`;
  }

  #head(file: string, reset: boolean): string {
    const { nameOf, reader } = this.#options;
    const isSame = this.#file === file;
    const isFirst = this.#file === null;
    this.#file = file;
    if (isSame && !reset) {
      return '';
    }
    const name = nameOf(file);
    return `${isFirst ? '' : '\n'}── ${reset ? reader.t('{0} begins anew', name) : name} ──\n`;
  }
}
