/** Structured log sink; surfaces decide where it goes. `fields` carry ids and numbers, never secrets. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Swallows everything; for surfaces that have nowhere to write. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
