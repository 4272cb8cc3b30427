// One process of the registry tests: argv says what it does, each printed line is a fact that the test waits for.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../src/core/base/clock';
import { errorText } from '../../src/core/base/errorText';
import { claimWorkerFolder } from '../../src/core/registry/claimFolder';
import { openLease, type Lease } from '../../src/core/registry/lease';
import { openRegistry, type Registry } from '../../src/core/registry/registryStore';
import { ownFileOwner } from '../../src/core/system/fileOwner';
import { withEntry } from './registryEntries';

const [command = '', workersDir = '', ...rest] = process.argv.slice(2);
const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function say(fact: unknown): void {
  process.stdout.write(`${JSON.stringify(fact)}\n`);
}

function registry(): Registry {
  return openRegistry({ workersDir, clock: systemClock(), randomHex, maxConcurrent: 3 });
}

async function lease(): Promise<Lease> {
  return openLease({
    workersDir,
    surface: 'cli',
    endpoint: '/nowhere',
    nonce: randomHex(16),
    owner: await ownFileOwner(),
    clock: systemClock(),
  });
}

/** Adds `count` entries, one update each. */
async function add(type: string, count: number): Promise<void> {
  const own = registry();
  for (let number = 0; number < count; number += 1) {
    const updated = await own.update((document) => withEntry(document, type, number), { create: true });
    if (!updated.ok) {
      throw new Error(updated.error.message);
    }
    say(number);
  }
}

/** Stops for ever in the middle of an update, with the lock in its hands. */
async function holdLock(): Promise<void> {
  await registry().update(
    async () => {
      say('inside');
      await new Promise(() => {
        setInterval(() => undefined, 60_000);
      });
      return null;
    },
    { create: true },
  );
}

/** Another program: reads, adds its entry and writes in place, without lock or rename. */
function overwrite(type: string): void {
  const file = join(workersDir, 'registry.json');
  const document = JSON.parse(readFileSync(file, 'utf8')) as { workers: unknown[] };
  document.workers.push({
    worker_id: `wkr-20260301-000000-${type}`,
    type,
    status: 'running',
    started_at: '2026-03-01T00:00:00Z',
  });
  writeFileSync(file, JSON.stringify(document));
  say('written');
}

/** Takes the lease when told to, and gives it up or tries again when told so. */
async function lead(): Promise<void> {
  const own = await lease();
  say('ready');
  for await (const line of { [Symbol.asyncIterator]: () => lines }) {
    if (line === 'release') {
      await own.release();
      say('released');
    } else if (line.startsWith('verify ')) {
      say(await own.verify(Number(line.slice('verify '.length))));
    } else {
      say(await own.tryAcquire());
    }
  }
}

async function claim(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    say(await claimWorkerFolder({ workersDir, type: 'health-check', now: Date.UTC(2026, 2, 1, 14, 30, 22) }));
  }
}

async function main(): Promise<void> {
  const [first = '', second = ''] = rest;
  switch (command) {
    case 'add':
      await add(first, Number(second));
      return;
    case 'hold-lock':
      await holdLock();
      return;
    case 'overwrite':
      overwrite(first);
      return;
    case 'lead':
      await lead();
      return;
    case 'claim':
      await claim(Number(first));
      return;
    default:
      throw new Error(`unknown command ${command}`);
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorText(error)}\n`);
    process.exit(1);
  },
);
