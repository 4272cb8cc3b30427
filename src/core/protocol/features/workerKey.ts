/** A worker's id as the files write it: numbers in one generation, texts in the other. */
export type WorkerIdValue = string | number;

/** One spelling for `0` and `"0"`, by which the same worker is found in every file; null where there is no id. */
export function workerKey(value: unknown): string | null {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  }
  if (typeof value !== 'string' || value.trim() === '') {
    return null;
  }
  const text = value.trim();
  return isNumbered(text) ? String(Number(text)) : text;
}

/** Whether a key is a whole number: a heartbeat makes a worker only then. */
export function isNumbered(key: string): boolean {
  return /^\d{1,9}$/.test(key);
}

/** The id of a worker as `status --json` gives it: a number wherever it is one. */
export function workerIdOf(key: string): WorkerIdValue {
  return isNumbered(key) ? Number(key) : key;
}

/** The id as the file wrote it, or null. */
export function rawWorkerId(value: unknown): WorkerIdValue | null {
  return workerKey(value) === null || (typeof value !== 'string' && typeof value !== 'number') ? null : value;
}

/** Numbers first and by size, then names. */
export function compareWorkerKeys(a: string, b: string): number {
  const [numberedA, numberedB] = [isNumbered(a), isNumbered(b)];
  if (numberedA && numberedB) {
    return Number(a) - Number(b);
  }
  return numberedA === numberedB ? a.localeCompare(b) : Number(numberedB) - Number(numberedA);
}
