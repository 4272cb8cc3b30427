import { readSync } from 'node:fs';
import { errorCode } from '../core/base/errorText';
import { fail, ok, type Result } from '../core/base/result';
import { isAgentName } from '../core/protocol/actors/agentName';
import { isKeptEngineOrder } from '../core/protocol/engines/keptEngine';
import { isFuseLimits } from '../core/protocol/keeper/fuse';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { isContainerOrder } from '../core/protocol/keeper/readContainer';

/** A spec carries a whole prompt and environment; far more than that is a mistake. */
const MAX_SPEC_BYTES = 16 * 1024 * 1024;

/**
 * Reads the first line of stdin, waiting for it. Null when the input ends before the line does, or is too long.
 * Synchronous, because nothing else goes on yet and a stream would cost memory for the keeper's whole life.
 */
export function readFirstLine(fd: number): string | null {
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes <= MAX_SPEC_BYTES) {
    const piece = Buffer.alloc(64 * 1024);
    const length = readPiece(fd, piece);
    const end = piece.subarray(0, length).indexOf(10);
    pieces.push(piece.subarray(0, end === -1 ? length : end));
    bytes += length;
    if (end !== -1) {
      return Buffer.concat(pieces).toString('utf8');
    }
    if (length === 0) {
      return null;
    }
  }
  return null;
}

function readPiece(fd: number, piece: Buffer): number {
  try {
    return readSync(fd, piece);
  } catch (error) {
    // Windows reports the end of a pipe as an error.
    if (errorCode(error) === 'EOF') {
      return 0;
    }
    throw error;
  }
}

/** Checks what came on stdin. The error is one plain sentence. */
export function parseSpec(line: string | null): Result<KeeperSpec, string> {
  if (line === null) {
    return fail('The keeper got no complete spec on its stdin; nothing was started.');
  }
  try {
    const value: unknown = JSON.parse(line);
    return isSpec(value) ? ok(value) : fail('The keeper got a spec that it does not understand; nothing was started.');
  } catch {
    // The parser's message may quote the spec, which can hold secrets.
    return fail('The keeper got a spec that is not JSON; nothing was started.');
  }
}

/** Guards against a cut or foreign line; the sender is our own launcher, so it is the shape that counts. */
function isSpec(value: unknown): value is KeeperSpec {
  return (
    isRecord(value) &&
    value['v'] === 1 &&
    hasAll(value, 'string', ['workerId', 'type', 'root', 'folder', 'nonce', 'startedAt', 'runtimeDir']) &&
    hasAll(value, 'number', ['epoch', 'graceMs', 'termGraceMs']) &&
    isStrings(value['secrets']) &&
    isLimits(value['limits']) &&
    isCommand(value['command']) &&
    (value['adopt'] === null || isProcess(value['adopt'])) &&
    areOptionalPartsSound(value)
  );
}

function areOptionalPartsSound(value: Record<string, unknown>): boolean {
  return (
    isAbsentOr(value['isolation'], isIsolation) &&
    isAbsentOr(value['fuses'], isFuseLimits) &&
    isAbsentOr(value['engine'], isKeptEngineOrder) &&
    isAbsentOr(value['mailbox'], isMailboxOrder)
  );
}

function isAbsentOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}

function isLimits(value: unknown): boolean {
  return isRecord(value) && hasAll(value, 'number', ['rawBytes', 'logBytes', 'logFiles']);
}

function isCommand(value: unknown): boolean {
  return (
    isRecord(value) &&
    hasAll(value, 'string', ['command', 'cwd']) &&
    isStrings(value['args']) &&
    isRecord(value['env']) &&
    (value['stdin'] === null || typeof value['stdin'] === 'string')
  );
}

function isIsolation(value: unknown): boolean {
  const isNoted = isRecord(value) && (value['note'] === null || typeof value['note'] === 'string');
  if (!isNoted) {
    return false;
  }
  switch (value['level']) {
    case 'audit':
    case 'worktree':
      return true;
    case 'sandbox':
      return isSandbox(value);
    case 'container':
      return isContainerOrder(value['container']);
    default:
      return false;
  }
}

function isSandbox({ run, place }: Record<string, unknown>): boolean {
  return (
    isCommand(run) &&
    isRecord(place) &&
    hasAll(place, 'string', ['settingsFile', 'settings']) &&
    isStrings(place['writable'])
  );
}

function isMailboxOrder(value: unknown): boolean {
  return (
    isRecord(value) &&
    hasAll(value, 'string', ['agent', 'privateEndpoint', 'token', 'logFile']) &&
    isAgentName(String(value['agent'])) &&
    (value['compatibleEndpoint'] === null || typeof value['compatibleEndpoint'] === 'string') &&
    (value['connectMs'] === null || typeof value['connectMs'] === 'number')
  );
}

function isProcess(value: unknown): boolean {
  return isRecord(value) && hasAll(value, 'number', ['pid', 'pgid']) && typeof value['startTime'] === 'string';
}

function hasAll(record: Record<string, unknown>, type: 'string' | 'number', keys: readonly string[]): boolean {
  return keys.every((key) => typeof record[key] === type);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
