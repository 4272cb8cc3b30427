import { isEngineRecord } from '../engines/keptEngine';
import type { ExitRecord } from './exitRecord';
import { isFuseRecord } from './fuse';
import { isolationLevels } from './isolationRecord';
import type { KeeperRecord } from './keeperRecord';
import { readContainerPlace } from './readContainer';

/**
 * Reads keeper.json by a hand-written guard (the keeper itself carries no schema library). Null when it is not a
 * record of ours: torn, foreign, or of another version.
 */
export function readKeeperRecord(text: string): KeeperRecord | null {
  const value = parseOrNull(text);
  return isKeeperRecord(value) ? value : null;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A torn record reads as none; its keeper writes it again with the next change.
    return null;
  }
}

function isKeeperRecord(value: unknown): value is KeeperRecord {
  return (
    isObject(value) &&
    value['v'] === 1 &&
    ['workerId', 'nonce', 'started', 'endpoint'].every((key) => typeof value[key] === 'string') &&
    typeof value['epoch'] === 'number' &&
    isStringArray(value['command']) &&
    isIdentity(value['keeper']) &&
    isNullOr(value['process'], isWorkerProcess) &&
    isArrayOf(value['attempts'], isAttempt) &&
    isNullOr(value['stop'], isReceipt) &&
    isPosition(value['output']) &&
    areOptionalPartsSound(value)
  );
}

function areOptionalPartsSound(value: Record<string, unknown>): boolean {
  return (
    isAbsentOr(value['isolation'], isIsolation) &&
    isAbsentOr(value['fuses'], isFuseRecord) &&
    isAbsentOr(value['graces'], isGraces) &&
    isAbsentOr(value['mailbox'], isMailbox) &&
    isAbsentOr(value['engine'], isEngineRecord)
  );
}

function isAbsentOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}

function isAttempt(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['startedAt'] === 'string' &&
    isNullOr(value['process'], isWorkerProcess) &&
    isNullOr(value['exit'], isExitRecord)
  );
}

/** Whether a value from a file has the shape of an exit record. */
export function isExitRecord(value: unknown): value is ExitRecord {
  return (
    isObject(value) &&
    isNullOr(value['code'], isNumber) &&
    isNullOr(value['signal'], isString) &&
    isNullOr(value['requestedBy'], isString) &&
    isAbsentOr(value['fuse'], isString) &&
    isString(value['at']) &&
    isString(value['class']) &&
    typeof value['forced'] === 'boolean'
  );
}

function isReceipt(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value['requestedBy']) &&
    isString(value['at']) &&
    typeof value['finished'] === 'boolean' &&
    isArrayOf(
      value['steps'],
      (step) => isObject(step) && isString(step['step']) && isString(step['at']) && isNumber(step['alive']),
    )
  );
}

function isGraces(value: unknown): boolean {
  return isObject(value) && ['graceMs', 'termGraceMs'].every((key) => isNumber(value[key]));
}

function isPosition(value: unknown): boolean {
  return (
    isObject(value) &&
    ['rawOffset', 'logBytes', 'droppedBytes'].every((key) => isNumber(value[key])) &&
    (value['logInode'] === undefined || isNumber(value['logInode']))
  );
}

function isIsolation(value: unknown): boolean {
  return (
    isObject(value) &&
    isolationLevels.some((level) => level === value['level']) &&
    isNullOr(value['note'], isString) &&
    isArrayOf(value['violations'], isViolation) &&
    (value['level'] === 'container') === (readContainerPlace(value['container']) !== null)
  );
}

function isMailbox(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value['agent']) &&
    isString(value['privateEndpoint']) &&
    isNullOr(value['compatible'], isCompatible) &&
    isNullOr(value['connectedAt'], isString) &&
    isNullOr(value['connectedBy'], isString)
  );
}

function isCompatible(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value['endpoint']) &&
    isString(value['state']) &&
    isNullOr(value['holder'], isString) &&
    isNullOr(value['trouble'], isString)
  );
}

function isViolation(value: unknown): boolean {
  return isObject(value) && ['path', 'change', 'at'].every((key) => isString(value[key]));
}

function isIdentity(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value['pid']) && isString(value['startTime']);
}

function isWorkerProcess(value: unknown): boolean {
  return isIdentity(value) && isObject(value) && Number.isInteger(value['pgid']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isStringArray(value: unknown): boolean {
  return isArrayOf(value, isString);
}

function isArrayOf(value: unknown, check: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(check);
}

function isNullOr(value: unknown, check: (item: unknown) => boolean): boolean {
  return value === null || check(value);
}
