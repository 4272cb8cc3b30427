import { InvalidArgumentError } from 'commander';
import { namedZone } from '../core/protocol/features/zone';
import { parseTimestamp } from '../core/protocol/workers/timestamp';

/** `--at`: an instant in ISO 8601; kept as it was written, because it is told again. */
export function instantText(text: string): string {
  if (parseTimestamp(text) === null) {
    throw new InvalidArgumentError('It must be an instant in ISO 8601, e.g. 2026-03-01T14:30:00Z.');
  }
  return text;
}

/** `--tz`: the name of a time zone. */
export function zoneName(text: string): string {
  if (namedZone(text) === null) {
    throw new InvalidArgumentError('It must be the name of a time zone, e.g. Europe/Berlin or UTC.');
  }
  return text;
}
