import { writeSync } from 'node:fs';
import { limitLine } from './limitLine';

// A plugin that opencode loads beside the person's own. Where a service takes no requests for long, opencode waits without a
// word; a worker is to be parked instead (engines.md). opencode calls everything that this file exports.

const STDOUT = 1;

/** Hears of every event; says on stdout until when a long limit lasts, and ends the program. Its session stays to go on with. */
export async function rollcall(): Promise<object> {
  return await Promise.resolve({
    event: async ({ event }: { readonly event: unknown }): Promise<void> => {
      const line = limitLine(event, Date.now());
      if (line !== null) {
        writeSync(STDOUT, `${line}\n`);
        process.exit(1);
      }
      await Promise.resolve();
    },
  });
}
