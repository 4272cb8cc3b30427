import type { LogFields, Logger } from '../core/base/logger';

/** Diagnostics of core on stderr: warnings and errors only, for a command has no log to keep. */
export function stderrLogger(err: (text: string) => void): Logger {
  const say = (message: string, fields: LogFields = {}): void => {
    const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
    err(`rollcall: ${message}${shown.join('')}`);
  };
  return { debug() {}, info() {}, warn: say, error: say };
}
