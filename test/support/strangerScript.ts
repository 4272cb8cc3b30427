// Another orchestrator, as a language model plays one: it reads registry.json, thinks, and writes the whole file back, in
// place or by rename, without any lock. argv: workers folder, seed, number of writes. It prints every id that it added.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId, outputDirOf } from '../../src/core/protocol/workers/workerId';
import { seededRandom } from './seededRandom';

interface Registry {
  readonly workers: readonly { readonly worker_id: string }[];
}

const [workersDir = '', seed = '', writes = ''] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const file = join(workersDir, 'registry.json');
const own = new Map<string, { readonly worker_id: string }>();

function read(): Registry | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Registry;
  } catch {
    // Nobody has started anything yet.
    return null;
  }
}

/** An ended worker of its own, of a type that nobody else has. */
function addOwn(number: number): void {
  const startedMs = Date.now() - 3_600_000 + number * 1000;
  const workerId = makeWorkerId('stranger', startedMs);
  own.set(workerId, {
    worker_id: workerId,
    type: 'stranger',
    status: 'completed',
    model: 'haiku',
    started_at: formatTimestamp(startedMs),
    completed_at: formatTimestamp(Date.now()),
    output_dir: outputDirOf(workerId),
    retry_count: 0,
  } as { worker_id: string });
}

/** Whatever it has read, its own workers are in what it writes; those of others only if it had read of them. */
function write(registry: Registry): void {
  const others = registry.workers.filter(({ worker_id }) => !own.has(worker_id));
  const text = JSON.stringify({ ...registry, workers: [...others, ...own.values()] }, null, random.below(3));
  if (random.below(3) === 0) {
    writeFileSync(file, text);
  } else {
    writeFileSync(`${file}.stranger`, text);
    renameSync(`${file}.stranger`, file);
  }
}

async function main(): Promise<void> {
  let remembered: Registry | null = null;
  for (let number = 0; number < Number(writes); number += 1) {
    const now = read();
    if (now === null) {
      number -= 1;
    } else {
      if (random.below(4) === 0) {
        addOwn(number);
      }
      // A model that has thought for long writes what was true then.
      write(random.below(5) === 0 && remembered !== null ? remembered : now);
      remembered = random.below(3) === 0 ? now : remembered;
    }
    await setTimeout(random.below(40));
  }
  process.stdout.write(`${JSON.stringify([...own.keys()])}\n`);
}

void main();
