import { parseLooseJson } from '../../core/protocol/workers/looseJson';
import { counted } from '../project/counted';
import { filesBelow, type FoundFiles } from '../project/filesBelow';
import type { ProjectReader } from '../project/projectReader';
import { readOptionalText } from '../project/readOptionalText';
import { findRewardRecords, type RewardRecord } from './rewardRecord';

const MEMORY = '.keysarium/memory';
const MAX_DEPTH = 8;
const MAX_FILES = 10_000;
const MAX_RECORDS = 100_000;

/** The JSON and JSON-lines files of the project's memory, which is read and never written. */
export async function memoryFiles(project: ProjectReader): Promise<FoundFiles> {
  const isWanted = (name: string): boolean => /\.(?:json|jsonl|ndjson)$/i.test(name);
  return await filesBelow(project, MEMORY, { depth: MAX_DEPTH, max: MAX_FILES, isWanted });
}

/** The reward records that were found so far, each id once. */
export class RewardMemory {
  readonly #records: RewardRecord[] = [];
  readonly #ids = new Set<string>();
  #isFull = false;

  get records(): readonly RewardRecord[] {
    return this.#records;
  }

  /** Whether there were more records than are kept. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Adds the records of a file and answers with a line for the log. Rejects with a sentence when it cannot be read. */
  async read(project: ProjectReader, file: string): Promise<string> {
    const text = (await readOptionalText(project, file)) ?? '';
    const before = this.#records.length;
    for (const document of documentsIn(file, text)) {
      this.#add(findRewardRecords(document));
    }
    return counted(this.#records.length - before, 'reward record');
  }

  #add(records: readonly RewardRecord[]): void {
    for (const record of records) {
      const isKnown = record.id !== null && this.#ids.has(record.id);
      this.#isFull ||= !isKnown && this.#records.length >= MAX_RECORDS;
      if (!isKnown && !this.#isFull) {
        this.#records.push(record);
        if (record.id !== null) {
          this.#ids.add(record.id);
        }
      }
    }
  }
}

/** JSON lines are read line by line, so that a torn last line costs that line only. */
function documentsIn(file: string, text: string): readonly unknown[] {
  if (/\.json$/i.test(file)) {
    const parsed = parseLooseJson(text);
    if (!parsed.ok) {
      throw new Error(`${file} ${parsed.error}`);
    }
    return [parsed.value];
  }
  return text.split('\n').flatMap((line) => {
    const parsed = parseLooseJson(line);
    return parsed.ok ? [parsed.value] : [];
  });
}
