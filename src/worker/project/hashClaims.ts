import { createHash } from 'node:crypto';
import { plainRecord } from '../../core/protocol/workers/plainRecord';

/** One sentence of a witness chain: this file had this hash. Hashes are 64 lower-case hex digits. */
export interface HashClaim {
  readonly file: string;
  readonly hash: string;
  /** The hash of the link before, or null where the entry names none. */
  readonly previous: string | null;
}

const FILE_KEYS = ['artifact', 'file', 'path', 'filename'];
const HASH_KEYS = ['hash', 'sha256', 'content_hash', 'digest'];
const PREVIOUS_KEYS = ['previous_hash', 'prev_hash', 'previous', 'prev'];

/**
 * Finds the claims of a witness chain by their shape, in document order: objects that name a file and a SHA-256, or
 * a map from file names to SHA-256. Anything else is passed over, so other fields may change as they like.
 */
export function findHashClaims(value: unknown): readonly HashClaim[] {
  if (Array.isArray(value)) {
    return value.flatMap(findHashClaims);
  }
  const record = plainRecord(value);
  if (record === null) {
    return [];
  }
  const claim = claimOf(record);
  return claim === null ? Object.entries(record).flatMap(([key, inner]) => claimsUnder(key, inner)) : [claim];
}

function claimsUnder(key: string, inner: unknown): readonly HashClaim[] {
  const hash = /\.\w+$/.test(key) ? hashOf(inner) : null;
  return hash === null ? findHashClaims(inner) : [{ file: key, hash, previous: null }];
}

function claimOf(record: Readonly<Record<string, unknown>>): HashClaim | null {
  const file = FILE_KEYS.map((key) => record[key]).find((value) => typeof value === 'string');
  const hash = firstHash(record, HASH_KEYS);
  return file === undefined || hash === null ? null : { file, hash, previous: firstHash(record, PREVIOUS_KEYS) };
}

function firstHash(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string | null {
  return keys.map((key) => hashOf(record[key])).find((hash) => hash !== null) ?? null;
}

function hashOf(value: unknown): string | null {
  const digits = typeof value === 'string' ? /^(?:sha-?256[:-])?([0-9a-f]{64})$/i.exec(value)?.[1] : undefined;
  return digits === undefined ? null : digits.toLowerCase();
}

/**
 * Whether the bytes are those that the claim was made about. A chained hash covers the content and then the previous
 * hash; shells that made it drop the final newlines of the content; some chains hash the content alone. Any of the
 * three proves that the content is unchanged.
 */
export function provesUnchanged({ hash, previous }: HashClaim, content: Buffer): boolean {
  const chained = previous === null ? [] : [content, withoutFinalNewlines(content)];
  const candidates = [sha256(content, ''), ...chained.map((bytes) => sha256(bytes, previous ?? ''))];
  return candidates.includes(hash);
}

function sha256(content: Buffer, suffix: string): string {
  return createHash('sha256').update(content).update(suffix).digest('hex');
}

function withoutFinalNewlines(content: Buffer): Buffer {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0x0a) {
    end -= 1;
  }
  return content.subarray(0, end);
}
