import { isRecord, readJson } from '../events/jsonGuards';
import { type EngineRecord, isEngineRecord } from '../engines/keptEngine';
import { areUsageMarks, type UsageMark } from '../engines/usageMarks';

/** The exit code of an agent that leaves because its engine takes no requests for a while; `limit` of its record says more. */
export const LIMIT_EXIT = 75;

/** The name of its file, in the agent's own folder. */
export const engineAgentFile = 'engine.json';

/** A longer file is none of ours, bytes. */
export const ENGINE_AGENT_BYTES = 256 * 1024;

/** Why the engine takes no requests, and until when; ISO 8601 UTC, or null where nobody says. */
export interface EngineLimit {
  /** On one line and safe to show. */
  readonly says: string;
  readonly resetsAt: string | null;
}

/** What a session agent on an engine tells of its engine, for looks and for its keeper. */
export interface EngineAgentRecord {
  /** When it was written, ISO 8601 UTC. */
  readonly at: string;
  /** A turn runs. */
  readonly isOpen: boolean;
  /** The turn that runs, or ran last; `earlier` has what all turns before used. Nobody is asked, so nothing is. */
  readonly engine: EngineRecord;
  /** What the last turn ended with, where that was a rate limit. */
  readonly limit: EngineLimit | null;
  /** When it used what, all turns together. */
  readonly marks: readonly UsageMark[];
}

/** The record as the text of its file. */
export function formatEngineAgent(record: EngineAgentRecord): string {
  return `${JSON.stringify({ v: 1, ...record })}\n`;
}

/** Reads the file; null where it is none. Never throws. */
export function readEngineAgent(text: string): EngineAgentRecord | null {
  const value = readJson(text);
  if (!isRecord(value) || value['v'] !== 1 || typeof value['at'] !== 'string') {
    return null;
  }
  // Records of a version before the marks have none.
  const { at, isOpen, engine, limit, marks = [] } = value;
  const isWhole = typeof isOpen === 'boolean' && isEngineRecord(engine) && (limit === null || isLimit(limit));
  return isWhole && areUsageMarks(marks) ? { at, isOpen, engine, limit, marks } : null;
}

function isLimit(value: unknown): value is EngineLimit {
  return (
    isRecord(value) &&
    typeof value['says'] === 'string' &&
    (value['resetsAt'] === null || typeof value['resetsAt'] === 'string')
  );
}
