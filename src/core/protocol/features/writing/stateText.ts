import { fail, ok, type Result } from '../../../base/result';
import { isRecord } from '../../events/jsonGuards';
import { type JsonRecord, readRecord } from '../jsonFields';
import { editJson, type JsonEdit } from './editJson';
import type { RunRefusal } from './runRefusal';

/** What stands for bytes that are no text; Python never writes it unescaped. */
const REPLACED = '\uFFFD';

/** A state file that a change begins from. */
export interface OpenState {
  readonly text: string;
  readonly record: JsonRecord;
}

/** When and for which feature a state is changed. */
export interface StateMoment {
  readonly feature: string;
  /** Naive local time of the writer. */
  readonly at: string;
}

/**
 * What a state file holds, or the first state of a feature where there is no file. Refuses a file that is not of the
 * newest dialect: the next write would turn it into something that neither generation can read.
 */
export function openState(text: string | null, { feature, at }: StateMoment): Result<OpenState, string> {
  const found = text ?? firstState(feature, at);
  const record = readRecord(found);
  if (record === null) {
    return fail('it is cut off or damaged; put its .json.bak in its place');
  }
  if (found.includes(REPLACED)) {
    return fail('it holds bytes that are no UTF-8, and a change would lose them; convert it to UTF-8 first');
  }
  if (!('tasks' in record) && 'completed_tasks' in record) {
    return fail('it is a checkpoint of an older version, which has no place for this; end that run first');
  }
  const odd = ['tasks', 'workers'].find((key) => key in record && !isRecord(record[key]));
  const log = record['execution_log'];
  return odd === undefined && (log === undefined || Array.isArray(log))
    ? ok({ text: withoutMark(found), record })
    : fail(`its ${odd ?? 'execution_log'} has another shape than this version knows; update the writer of the run`);
}

/** The text after some edits; a part of the state that is not there yet is made. */
export function changedState({ text, record }: OpenState, edits: readonly JsonEdit[]): string {
  const missing = [...new Set(edits.map(({ path }) => String(path[0])))].filter((key) => !(key in record));
  const made = missing.map((key) => ({ path: [key], value: key === 'execution_log' ? [] : {} }));
  return editJson(text, [...made, ...edits]);
}

/** The object under `key` in a part of the state, or null. */
export function entryOf(record: JsonRecord, part: 'tasks' | 'workers', key: string): JsonRecord | null {
  const entries = record[part];
  const entry = isRecord(entries) && Object.hasOwn(entries, key) ? entries[key] : null;
  return isRecord(entry) ? entry : null;
}

/** What the person reads where a state must not be changed. */
export function stateRefusal(path: string, reason: string): RunRefusal {
  return { code: 'wrong-state', message: `${path} was not changed: ${reason}, and try again.` };
}

function firstState(feature: string, at: string): string {
  const state = {
    feature,
    started_at: at,
    current_level: 0,
    tasks: {},
    workers: {},
    levels: {},
    execution_log: [],
    metrics: null,
    paused: false,
    error: null,
  };
  return JSON.stringify(state, null, 2);
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
