import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findOnPath, setupSystem } from '../../scripts/setupSystem.mjs';
import { documentExample } from '../support/documentExample';
import { endKeepersOf } from '../support/endKeepersOf';
import { startCli } from '../support/runCli';
import { tempProject } from '../support/tempProject';

/** The document's own example session (background-workers.txt), on a clock that stands where the document's stood. */
const START = '2026-03-01 14:30:22';
const CONSOLIDATE = 'wkr-20260301-143022-consolidate';
const HEALTH_CHECK = 'wkr-20260301-143500-health-check';
const EXPORT_BRAIN = 'wkr-20260301-144000-export-brain';

let faketime: string | undefined;

beforeAll(() => {
  setupSystem(['clock']);
  faketime = findOnPath(['faketime']);
});

/** Runs `rollcall <args> --surface slash` while the clock stands still at `instant`, and gives what it printed. */
async function at(instant: string, root: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, TZ: 'UTC', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const clock = faketime === undefined ? [] : [faketime, '-f', instant];
  const run = await startCli(root, [...args, '--surface', 'slash'], { env, before: clock }).ended;
  expect(run.stderr).toBe('');
  return run.stdout;
}

function workersDir(root: string): string {
  return join(root, '.keysarium', 'workers');
}

/** The worker as the document's agents leave it: an entry, a folder and a status.json. */
function putWorkers(root: string): void {
  const time = (clock: string): string => `2026-03-01T${clock}Z`;
  const worker = (id: string, status: string, startedAt: string, completedAt: string | null): object => ({
    worker_id: id,
    type: id.slice('wkr-20260301-143022-'.length),
    status,
    model: id === CONSOLIDATE ? 'sonnet' : 'haiku',
    started_at: time(startedAt),
    completed_at: completedAt === null ? null : time(completedAt),
    output_dir: `.keysarium/workers/${id}/`,
    retry_count: 0,
  });
  const workers = [
    worker(CONSOLIDATE, 'running', '14:30:22', null),
    worker(HEALTH_CHECK, 'running', '14:35:00', null),
    worker(EXPORT_BRAIN, 'running', '14:40:00', null),
  ];
  mkdirSync(workersDir(root), { recursive: true });
  writeFileSync(
    join(workersDir(root), 'registry.json'),
    `${JSON.stringify({ version: '1.0', max_concurrent: 3, workers }, null, 2)}\n`,
  );
  putStatus(root, CONSOLIDATE, documentExample('status.json'));
  const completed = (id: string, startedAt: string, completedAt: string, progress: object): void => {
    const { type, ...keys } = { type: id.slice('wkr-20260301-143022-'.length), error: null };
    const times = { started_at: time(startedAt), completed_at: time(completedAt) };
    putStatus(root, id, JSON.stringify({ worker_id: id, type, status: 'completed', ...times, progress, ...keys }));
  };
  completed(HEALTH_CHECK, '14:35:00', '14:36:10', { phase: 'completed', items_processed: 6, total_items: 6 });
  completed(EXPORT_BRAIN, '14:40:00', '14:41:30', { phase: 'completed', items_processed: 6, total_items: 6 });
}

function putStatus(root: string, id: string, text: string): void {
  mkdirSync(join(workersDir(root), id, 'output'), { recursive: true });
  writeFileSync(join(workersDir(root), id, 'status.json'), text);
}

function registryOf(root: string): { readonly workers: readonly Readonly<Record<string, unknown>>[] } {
  return JSON.parse(readFileSync(join(workersDir(root), 'registry.json'), 'utf8')) as {
    workers: Record<string, unknown>[];
  };
}

describe("the document's own session, with --surface slash", () => {
  it('starts a worker with the block, the id and the registry entry of the document', async ({ skip }) => {
    skip(faketime === undefined, 'the program faketime is missing: npm run setup installs it');
    const root = await tempProject();
    onTestFinished(async () => endKeepersOf(root));
    expect(await at(START, root, 'start', 'consolidate')).toBe(documentExample('started.txt'));
    const [entry] = registryOf(root).workers;
    const [documented] = (JSON.parse(documentExample('registry.json')) as { workers: object[] }).workers;
    expect({ ...entry, status: 'running', completed_at: null }).toEqual(documented);
    expect(Object.keys(entry ?? {})).toEqual(Object.keys(documented ?? {}));
  });

  it('lists the types with the table of the document', async () => {
    expect(await at(START, await tempProject(), 'list')).toBe(documentExample('list-table.txt'));
  });

  it('refuses a fourth worker with the two lines of the document', async ({ skip }) => {
    skip(faketime === undefined, 'the program faketime is missing: npm run setup installs it');
    const root = await tempProject();
    putWorkers(root);
    for (const id of [HEALTH_CHECK, EXPORT_BRAIN]) {
      putStatus(root, id, JSON.stringify({ worker_id: id, status: 'running' }));
    }
    const run = startCli(root, ['start', 'health-check', '--surface', 'slash'], {
      env: { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      before: [faketime ?? '', '-f', '2026-03-01 14:42:00'],
    });
    const { stderr } = await run.ended;
    expect(stderr.split('\n').slice(0, 2).join('\n')).toBe(documentExample('limit.txt').trimEnd());
  });

  it('shows the status table, asks for the stop and shows it asked for, all in the words of the document', async ({
    skip,
  }) => {
    skip(faketime === undefined, 'the program faketime is missing: npm run setup installs it');
    const root = await tempProject();
    putWorkers(root);
    const table = await at('2026-03-01 14:42:00', root, 'status');
    const outputs = [HEALTH_CHECK, EXPORT_BRAIN].map((id) => `  ${id} → .keysarium/workers/${id}/output/\n`).join('');
    expect(table).toBe(`${documentExample('status-table.txt')}\nCompleted worker output:\n${outputs}`);
    expect(registryOf(root).workers.map(({ status }) => status)).toEqual(['running', 'completed', 'completed']);

    const stop = await at('2026-03-01 14:43:00', root, 'stop', CONSOLIDATE);
    expect(stop).toBe(`${documentExample('stop.txt')}Use \`/workers status\` to confirm.\n`);
    expect(readFileSync(join(workersDir(root), CONSOLIDATE, 'stop-requested'), 'utf8')).toBe('');
    expect(registryOf(root).workers[0]).toMatchObject({ worker_id: CONSOLIDATE, status: 'stop-requested' });
    expect(await at('2026-03-01 14:43:30', root, 'status')).toContain('Active: 0/3 | Completed: 2 | Failed: 0');
  });
});
