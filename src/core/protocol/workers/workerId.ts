import { formatTimestamp } from './timestamp';

const GRAMMAR = /^wkr-\d{8}-\d{6}-([a-z0-9]+(?:-[a-z0-9]+)*)$/;
const TYPE_GRAMMAR = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Longest id that is accepted: a folder name must fit every file system. */
const MAX_LENGTH = 200;

/** Whether `text` is a worker id (workers.md §1). Only such text may become part of a path. */
export function isWorkerId(text: string): boolean {
  return text.length <= MAX_LENGTH && GRAMMAR.test(text);
}

/** Whether `text` can be the type part of a worker id. */
export function isWorkerTypeName(text: string): boolean {
  return text.length <= MAX_LENGTH - 'wkr-00000000-000000-'.length && TYPE_GRAMMAR.test(text);
}

/** The id of a worker of `type` that starts at `atMs` (UTC). `type` must be a type name. */
export function makeWorkerId(type: string, atMs: number): string {
  const digits = formatTimestamp(atMs).replace(/\D/g, '');
  return `wkr-${digits.slice(0, 8)}-${digits.slice(8)}-${type}`;
}

/** The type inside a worker id, or null where `id` is none. */
export function typeOfWorkerId(id: string): string | null {
  return isWorkerId(id) ? (GRAMMAR.exec(id)?.[1] ?? null) : null;
}

/** The `output_dir` that the registry and the texts give for a worker: project-relative, POSIX, trailing slash. */
export function outputDirOf(workerId: string): string {
  return `.keysarium/workers/${workerId}/`;
}
