// Reads registry.json without pause until its stdin ends, and prints what it met. A file that does not parse is read again
// as the protocol asks for, because a writer that does not rename may be in the middle of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const file = join(process.argv[2] ?? '', 'registry.json');
const TORN_RETRY_MS = 50;
/** On a busy machine the writer itself may have to wait that long between its two steps. */
const RETRIES = 20;
let over = false;
process.stdin.on('end', () => {
  over = true;
});
process.stdin.resume();

function parses(): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    // Half-written, or it is not there.
    return false;
  }
}

async function main(): Promise<void> {
  const met = { reads: 0, torn: 0, broken: 0 };
  while (!parses() && !over) {
    await setTimeout(TORN_RETRY_MS);
  }
  while (!over) {
    met.reads += 1;
    let good = parses();
    met.torn += good ? 0 : 1;
    for (let retry = 0; !good && retry < RETRIES; retry += 1) {
      await setTimeout(TORN_RETRY_MS);
      good = parses();
    }
    met.broken += good ? 0 : 1;
    await setTimeout(1);
  }
  process.stdout.write(`${JSON.stringify(met)}\n`);
}

void main();
