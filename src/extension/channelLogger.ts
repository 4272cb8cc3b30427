import type * as vscode from 'vscode';
import type { LogFields, Logger } from '../core/base/logger';

function line(message: string, fields: LogFields = {}): string {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [message, ...known.map(([name, value]) => `${name}=${String(value)}`)].join(' ');
}

/** A core logger that writes to the `Rollcall` output channel, which filters by the level that the person chose. */
export function channelLogger(channel: vscode.LogOutputChannel): Logger {
  return {
    debug: (message, fields) => {
      channel.debug(line(message, fields));
    },
    info: (message, fields) => {
      channel.info(line(message, fields));
    },
    warn: (message, fields) => {
      channel.warn(line(message, fields));
    },
    error: (message, fields) => {
      channel.error(line(message, fields));
    },
  };
}
