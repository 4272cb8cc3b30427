import { closeSync, openSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { parse } from 'node:path';
import { systemClock } from '../core/base/clock';
import { errorText } from '../core/base/errorText';
import type { KeeperReady } from '../core/protocol/keeper/keeperSpec';
import { openKeeper } from './openKeeper';
import { parseSpec, readFirstLine } from './specLine';

/** After its last word a frozen reader of the pipe must not keep the keeper for ever, milliseconds. */
const LAST_WORDS_MS = 1000;

/** Tells the launcher how it went, then lets go of it. */
function answer(ready: KeeperReady): void {
  try {
    writeSync(1, `${JSON.stringify(ready)}\n`);
  } catch {
    // The launcher is gone already; the record tells its successor.
  }
  for (const fd of [0, 1]) {
    closeSync(fd);
    // The lowest free number is taken, so no file that is opened later becomes stdin or stdout.
    openSync(devNull, 'r+');
  }
}

async function main(): Promise<void> {
  // The terminal and the window that started it may go; the keeper stays. SIGTERM does end it: the worker goes on, and
  // whoever leads puts a new keeper behind it.
  process.on('SIGHUP', () => undefined);
  process.on('SIGINT', () => undefined);
  const spec = parseSpec(readFirstLine(0));
  const clock = systemClock();
  const keeper = spec.ok ? await openKeeper(spec.value, clock) : spec;
  if (!keeper.ok) {
    answer({ ready: false, message: keeper.error });
    process.exitCode = 1;
    return;
  }
  process.chdir(parse(process.execPath).root);
  const { answer: ready, run } = await keeper.value.start();
  answer(ready);
  await run();
  systemClock({ unref: true }).schedule(LAST_WORDS_MS, () => {
    process.exit();
  });
}

main().catch((error: unknown) => {
  answer({ ready: false, message: `The worker was not started: ${errorText(error)}. Correct that and try again.` });
  // Its pipe would keep it alive, with nothing to keep.
  process.exit(1);
});
