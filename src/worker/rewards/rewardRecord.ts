import { plainRecord } from '../../core/protocol/workers/plainRecord';
import { parseTimestamp } from '../../core/protocol/workers/timestamp';
import { clipped, inlineText } from '../project/inlineText';

/** How well one phase of one case went. */
export interface RewardRecord {
  readonly reward: number;
  /** `phase-2` for a phase that is written as a number; else as written, in lower case. */
  readonly phase: string | null;
  readonly domain: string | null;
  /** The case it belongs to. */
  readonly slug: string | null;
  /** Epoch ms. */
  readonly atMs: number | null;
  readonly id: string | null;
}

const PHASE_KEYS = ['phase', 'stage', 'phase_id', 'phase_name', 'stage_name'];
const CASE_KEYS = ['project_slug', 'slug', 'case', 'case_slug'];
const TIME_KEYS = ['timestamp', 'original_timestamp', 'recorded_at', 'created_at', 'date'];
const MAX_LENGTH = 60;
/** Larger numbers are no rewards, and sums of them would not be numbers any more. */
const MAX_REWARD = 1_000_000;

/**
 * Finds the reward records of a document wherever they lie in it. A record is known by its shape (workers.md §2): an
 * object with a number `reward` (models write it as a text now and then) and a phase or stage, or a domain. An
 * object that names a `file` is an entry of an index: it points to a record and would count it twice.
 */
export function findRewardRecords(document: unknown): readonly RewardRecord[] {
  if (Array.isArray(document)) {
    return document.flatMap(findRewardRecords);
  }
  const object = plainRecord(document);
  if (object === null || typeof object['file'] === 'string') {
    return [];
  }
  const record = recordOf(object);
  return record === null ? Object.values(object).flatMap(findRewardRecords) : [record];
}

function recordOf(object: Readonly<Record<string, unknown>>): RewardRecord | null {
  const reward = numberOf(object['reward']);
  const phase = phaseOf(object);
  const domain = firstText(object, ['domain']);
  if (reward === null || (phase === null && domain === null)) {
    return null;
  }
  const slug = firstText(object, CASE_KEYS);
  return {
    reward,
    phase,
    domain,
    slug,
    atMs: parseTimestamp(firstText(object, TIME_KEYS)),
    id: firstText(object, ['id']),
  };
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= MAX_REWARD ? number : null;
}

function phaseOf(object: Readonly<Record<string, unknown>>): string | null {
  const written = firstText(object, PHASE_KEYS)?.toLowerCase().replaceAll(' ', '-') ?? null;
  return written !== null && /^\d+(?:\.\d+)?$/.test(written) ? `phase-${written}` : written;
}

function firstText(object: Readonly<Record<string, unknown>>, keys: readonly string[]): string | null {
  const texts = keys.map((key) => {
    const value = object[key];
    return typeof value === 'string' || typeof value === 'number' ? clipped(inlineText(String(value)), MAX_LENGTH) : '';
  });
  return texts.find((text) => text !== '') ?? null;
}
