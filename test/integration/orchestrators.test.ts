import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { endKeepersOf } from '../support/endKeepersOf';
import { runCli } from '../support/runCli';
import { useScript } from '../support/scriptProcess';
import { seededRandom, type SeededRandom } from '../support/seededRandom';
import { tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';

/** Operations in all; most are the stranger's, because ours start processes. ROLLCALL_OPERATIONS asks for more. */
const OPERATIONS = Number(process.env['ROLLCALL_OPERATIONS'] ?? 1000);
const OF_WINDOW = Math.round(OPERATIONS * 0.06);
const OF_COMMANDS = Math.round(OPERATIONS * 0.03);
const LIMIT = 3;
const TIMEOUT_MS = 60_000 + OPERATIONS * 200;

const stranger = useScript('test/support/strangerScript.ts');
const reader = useScript('test/support/readerScript.ts');

const TYPES = {
  quick: { description: 'Ends at once', command: ['sleep', '0.05'], isolation: 'audit', graceSeconds: 1 },
  slow: { description: 'Sleeps', command: ['sleep', '60'], isolation: 'audit', graceSeconds: 1 },
};

interface Started {
  /** Every id that somebody of ours was told. */
  readonly ids: string[];
  refused: number;
}

function workersDir(root: string): string {
  return join(root, '.keysarium', 'workers');
}

/** One thing that a window does. Refusals are answers: the limit, a worker that has just ended. */
async function inWindow(host: HostApi, random: SeededRandom, started: Started): Promise<void> {
  const choice = random.below(10);
  if (choice < 6) {
    const outcome = await host.start({ type: random.pick(['quick', 'quick', 'slow']), requestedBy: 'vscode' });
    if (outcome.ok) {
      started.ids.push(outcome.value.workerId);
    } else {
      expect(outcome.error.code, outcome.error.message).toBe('limit');
      started.refused += 1;
    }
  } else if (choice < 9) {
    await stopOne(host, random);
  } else {
    await host.refresh();
  }
}

async function stopOne(host: HostApi, random: SeededRandom): Promise<void> {
  const running = host.getSnapshot().workers.filter(({ state, owned }) => state === 'running' && owned);
  const worker = running[random.below(Math.max(1, running.length))];
  if (worker !== undefined) {
    const outcome = await host.stop({ worker: worker.workerId, force: random.below(2) === 0, requestedBy: 'vscode' });
    expect(outcome.ok ? 'accepted' : outcome.error.code).toMatch(/accepted|wrong-state|not-found/);
  }
}

/** One command of a terminal. */
async function inTerminal(root: string, random: SeededRandom, started: Started): Promise<void> {
  const args = random.pick([
    ['start', 'quick', '--json'],
    ['start', 'slow', '--json'],
    ['status', '--json'],
  ]);
  const { code, stdout, stderr } = await runCli(root, ...args);
  const told = JSON.parse(stdout) as { readonly worker_id?: string; readonly error?: { readonly code: string } };
  if (told.worker_id !== undefined) {
    started.ids.push(told.worker_id);
  } else if (args[0] === 'start') {
    expect(told.error?.code, stdout).toBe('limit');
    started.refused += 1;
  } else {
    expect(code, stderr).toBe(0);
  }
}

/** How many workers of ours held a slot at once at the most, by what their keepers and stop flags recorded. */
function mostAtOnce(root: string): number {
  const spans = readdirSync(workersDir(root)).flatMap((name) => spanOf(join(workersDir(root), name)));
  return Math.max(...spans.map(({ from }) => spans.filter((one) => one.from <= from && from < one.to).length));
}

/** From the start of its process to its end or to the stop request, which frees the slot (workers.md §4.3). */
function spanOf(folder: string): readonly { readonly from: number; readonly to: number }[] {
  const path = join(folder, 'keeper.json');
  const attempt = existsSync(path) ? readKeeperRecord(readFileSync(path, 'utf8'))?.attempts.at(-1) : undefined;
  if (attempt === undefined) {
    return [];
  }
  const flag = join(folder, 'stop-requested');
  const stopAt = existsSync(flag) ? statSync(flag).mtimeMs : Number.POSITIVE_INFINITY;
  const exitAt = Date.parse(attempt.exit?.at ?? '9999-01-01');
  return [{ from: Date.parse(attempt.startedAt), to: Math.min(exitAt, stopAt) }];
}

function idsIn(root: string): readonly string[] {
  const text = readFileSync(join(workersDir(root), 'registry.json'), 'utf8');
  return (JSON.parse(text) as { workers: { worker_id: string }[] }).workers.map(({ worker_id }) => worker_id);
}

async function repeatedly(times: number, job: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await job();
  }
}

it(`${String(OPERATIONS)} operations of a window, a terminal and a writer without a lock lose no entry and pass no limit`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = seededRandom();
  process.stdout.write(`orchestrators: ROLLCALL_SEED=${String(random.seed)} makes the same choices again\n`);
  const config = JSON.stringify({ version: 1, maxConcurrent: LIMIT, types: TYPES });
  const root = await tempProject({ '.vscode/workers.json': config });
  onTestFinished(async () => endKeepersOf(root));
  mkdirSync(workersDir(root), { recursive: true });
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const started: Started = { ids: [], refused: 0 };
  const reading = reader({ args: [workersDir(root)] });
  const writes = OPERATIONS - OF_WINDOW - OF_COMMANDS;
  const writing = stranger({ args: [workersDir(root), String(random.seed), String(writes)] });
  await Promise.all([
    repeatedly(OF_WINDOW, async () => inWindow(host, random, started)),
    repeatedly(OF_COMMANDS, async () => inTerminal(root, random, started)),
  ]);
  const strangers = JSON.parse(await writing.line()) as string[];
  reading.endInput();
  const met = JSON.parse(await reading.line()) as { reads: number; torn: number; broken: number };
  process.stdout.write(
    `orchestrators: ${JSON.stringify({ started: started.ids.length, refused: started.refused, ...met })}\n`,
  );

  await vi.waitFor(async () => {
    const { workers } = await host.refresh();
    await Promise.all(
      workers
        .filter(({ endedAt, owned }) => owned && endedAt === null)
        .map(async ({ workerId: worker }) => host.stop({ worker, force: true, requestedBy: 'vscode' })),
    );
    expect(workers.filter(({ endedAt, owned }) => owned && endedAt === null)).toEqual([]);
  }, 60_000);

  expect(new Set(started.ids).size).toBe(started.ids.length);
  expect(idsIn(root)).toEqual(expect.arrayContaining(started.ids));
  expect(idsIn(root)).toEqual(expect.arrayContaining(strangers));
  expect(new Set(idsIn(root)).size).toBe(idsIn(root).length);
  expect(mostAtOnce(root)).toBeLessThanOrEqual(LIMIT);
  expect(started.refused).toBeGreaterThan(0);
  expect(met.broken).toBe(0);
  expect(readdirSync(workersDir(root)).filter((name) => name.includes('.corrupt-'))).toEqual([]);
});
