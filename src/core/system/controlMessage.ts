import type { ControlFault, Hello } from '../protocol/keeper/control';

/**
 * Longest line of the control protocol, in bytes: a message of 1 MiB fits with all that its way makes it grow by, such as
 * broken UTF-8 whose every byte becomes three.
 */
export const MAX_CONTROL_BYTES = 4 * 1024 * 1024;

/** A refusal that travels over a control pipe. `code` is stable, the message ends in what the person can do. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: string;

  constructor(fault: ControlFault) {
    super(fault.message);
    this.code = fault.code;
  }
}

/** Any message as a record of unknown values; null when the line is not a JSON object. */
export function parseMessage(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    // Not JSON: the caller treats it as a stranger's line.
    return null;
  }
}

/** The first line of a connection; null when it has another shape. */
export function readHello(line: string): Hello | null {
  const { v, nonce, epoch } = parseMessage(line) ?? {};
  return v === 1 && typeof nonce === 'string' && typeof epoch === 'number' && Number.isSafeInteger(epoch) && epoch >= 0
    ? { v, nonce, epoch }
    : null;
}

/** The fault inside an answer; null when it holds none. */
export function readFault(value: unknown): ControlFault | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const { code, message } = value as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
}
