import { errorCode } from '../core/base/errorText';
import type { CliContext } from './cliContext';
import { runCli } from './program';
import { stderrLogger } from './stderrLogger';

function createContext(): CliContext {
  const err = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  return {
    out: (text) => {
      process.stdout.write(`${text}\n`);
    },
    outRaw: (text) => {
      process.stdout.write(text);
    },
    err,
    colour: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
    interrupted,
    openHost: async (options) => {
      // Core is the bulk of the start-up time, and a wrong command line or --help never needs it.
      const { openHost } = await import('./openHost');
      return await openHost(options, stderrLogger(err));
    },
  };
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort();
    });
  }
  return controller.signal;
}

/** A reader like `head` that has seen enough is no error. */
function endQuietlyWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error) => {
    process.exit(errorCode(error) === 'EPIPE' ? 0 : 1);
  });
}

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}

async function main(): Promise<void> {
  endQuietlyWithReader(process.stdout);
  endQuietlyWithReader(process.stderr);
  const code = await runCli(process.argv.slice(2), createContext());
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // What core still holds open (a socket that closes, a folder's watcher) must not keep a finished command alive.
  process.exit(code);
}

void main();
