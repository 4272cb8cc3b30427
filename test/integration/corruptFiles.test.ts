import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statusJson } from '../../src/cli/json/statusJson';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId, outputDirOf } from '../../src/core/protocol/workers/workerId';
import { corruptions } from '../support/corruptions';
import { isRecord, meaningOf, oracleOfStatus, parsed } from '../support/fileOracle';
import { runCli } from '../support/runCli';
import { type SeededRandom, seededRandom } from '../support/seededRandom';
import { tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';

/** How many files are spoiled, half of each kind; ROLLCALL_CORRUPTIONS asks for more. */
const COUNT = Number(process.env['ROLLCALL_CORRUPTIONS'] ?? 200);
const random = seededRandom();
process.stdout.write(`corruptFiles: ROLLCALL_SEED=${String(random.seed)} repeats this run\n`);

/** A row of `status --json`, as a script reads it. */
interface Row {
  readonly worker_id: string;
  readonly status: string;
  readonly problem: string | null;
}

interface Told {
  readonly workers: readonly Row[];
  readonly problems: readonly { readonly code: string }[];
}

function workersDir(root: string): string {
  return join(root, '.keysarium', 'workers');
}

/** The `number`-th worker of this hour; it has said this word. */
function entryOf(number: number, status: string): Readonly<Record<string, unknown>> & { readonly worker_id: string } {
  const startedMs = Date.now() - 3_600_000 + number * 1000;
  const workerId = makeWorkerId('health-check', startedMs);
  const ended = status !== 'running';
  return {
    worker_id: workerId,
    type: 'health-check',
    status,
    model: 'haiku',
    started_at: formatTimestamp(startedMs),
    completed_at: ended ? formatTimestamp(Date.now()) : null,
    output_dir: outputDirOf(workerId),
    retry_count: 0,
  };
}

function statusText(number: number, status: string): string {
  const { worker_id, type, started_at, completed_at } = entryOf(number, status);
  const progress = { phase: 'checking', items_processed: 3, total_items: 6 };
  return `${JSON.stringify({ worker_id, type, status, started_at, completed_at, progress, error: null }, null, 2)}\n`;
}

function registryText(entries: readonly object[]): string {
  return `${JSON.stringify({ version: '1.0', max_concurrent: 3, workers: entries }, null, 2)}\n`;
}

function putStatus(root: string, id: string, bytes: Buffer | string): void {
  mkdirSync(join(workersDir(root), id), { recursive: true });
  writeFileSync(join(workersDir(root), id, 'status.json'), bytes);
}

/** What `rollcall status --json` tells: by the same host and the same JSON, without a process for each file. */
async function told(root: string): Promise<Told> {
  const host = await openTestHost(root);
  return JSON.parse(JSON.stringify(statusJson(await host.refresh()))) as Told;
}

function spoiled(text: string, number: number, from: SeededRandom): { readonly name: string; readonly bytes: Buffer } {
  const { name, spoil } = corruptions[number % corruptions.length] ?? corruptions[0];
  return { name, bytes: spoil(text, from) };
}

describe(`${String(COUNT)} spoiled files`, () => {
  it('of workers: every row shows the very word that its file says, or says that it cannot be read', async () => {
    const half = Math.ceil(COUNT / 2);
    const files = Array.from({ length: half }, (_, number) => {
      const said = random.pick(['running', 'completed', 'failed', 'stopped']);
      return { entry: entryOf(number, 'running'), ...spoiled(statusText(number, said), number, random) };
    });
    const root = await tempProject({
      '.keysarium/workers/registry.json': registryText(files.map(({ entry }) => entry)),
    });
    for (const { entry, bytes } of files) {
      putStatus(root, entry.worker_id, bytes);
    }
    const { workers, problems } = await told(root);
    expect(problems).toEqual([]);
    expect(workers.map(({ worker_id }) => worker_id)).toEqual(files.map(({ entry }) => entry.worker_id));
    for (const [index, { entry, name, bytes }] of files.entries()) {
      const { status, problem } = workers[index] ?? { status: 'no row', problem: null };
      const { says, mayRefuse, possible, names } = oracleOfStatus(bytes);
      const shown = `${name}: shown ${status} (${problem ?? 'no problem'}) for ${bytes.toString('utf8', 0, 400)}`;
      if (says !== null && !mayRefuse) {
        expect(status, shown).toBe(says);
        // A bit that flips in the id makes it a sound file of another worker, which may be told.
        expect(problem === null || names !== entry.worker_id, shown).toBe(true);
      } else if (problem === null) {
        expect([...possible], shown).toContain(status);
      } else {
        // What cannot be read changes nothing: the registry's own word stands.
        expect(status, shown).toBe('running');
      }
    }
  });

  it('of registries: none is taken for empty, no word is made up, and what is given up is kept aside', async () => {
    const said = ['running', 'completed', 'failed'] as const;
    const ids = said.map((status, number) => entryOf(number, status).worker_id);
    for (let number = 0; number < Math.floor(COUNT / 2); number += 1) {
      const { name, bytes } = spoiled(
        registryText(said.map((status, index) => entryOf(index, status))),
        number,
        random,
      );
      const root = await tempProject({ '.keysarium/workers/registry.json': '' });
      writeFileSync(join(workersDir(root), 'registry.json'), bytes);
      for (const [index, status] of said.entries()) {
        putStatus(root, ids[index] ?? '', statusText(index, status));
      }
      const { workers, problems } = await told(root);
      judgeRegistry({ root, name, bytes, workers, problems }, new Map(ids.map((id, index) => [id, said[index] ?? ''])));
    }
  });

  it('do not make the real command crash, nor say a word more than it knows', async () => {
    for (const { name, spoil } of [random.pick(corruptions), random.pick(corruptions), random.pick(corruptions)]) {
      const entry = entryOf(0, 'running');
      const root = await tempProject({ '.keysarium/workers/registry.json': registryText([entry]) });
      const bytes = spoil(statusText(0, 'completed'), random);
      putStatus(root, entry.worker_id, bytes);
      const { code, stdout } = await runCli(root, 'status', '--json');
      expect(code, name).toBe(0);
      const [row] = (JSON.parse(stdout) as Told).workers;
      const { possible } = oracleOfStatus(bytes);
      expect(['running', ...possible], `${name}: ${stdout}`).toContain(row?.status);
    }
  });
});

interface RegistryCase extends Told {
  readonly root: string;
  readonly name: string;
  readonly bytes: Buffer;
}

function judgeRegistry(
  { root, name, bytes, workers, problems }: RegistryCase,
  truth: ReadonlyMap<string, string>,
): void {
  const shown = `${name}: ${JSON.stringify({ workers, problems })} for ${bytes.toString('utf8', 0, 900)}`;
  const now = readFileSync(join(workersDir(root), 'registry.json'));
  const aside = readdirSync(workersDir(root)).filter((file) => file.startsWith('registry.json.corrupt-'));
  for (const { worker_id: id, status, problem } of workers.filter((row) => truth.has(row.worker_id))) {
    // The workers' own files are whole, so their words are known; only an end in the registry stands above `running`.
    const own = truth.get(id) ?? '';
    const ended = own === 'running' ? endInRegistry(bytes, id) : null;
    expect(problem !== null || status === (ended ?? own), shown).toBe(true);
  }
  if (problems.some(({ code }) => code === 'registry-version')) {
    expect(now.equals(bytes), shown).toBe(true);
    return;
  }
  expect(problems, shown).toEqual([]);
  expect(isRecord(parsed(now.toString('utf8').replace(/^\uFEFF/, ''))) || now.equals(bytes), shown).toBe(true);
  if (aside.length > 0) {
    expect(readFileSync(join(workersDir(root), aside[0] ?? '')).equals(bytes), shown).toBe(true);
    expect(workers.map(({ worker_id }) => worker_id).sort(), shown).toEqual([...truth.keys()].sort());
  } else {
    expect(workers.length > 0 || mayBeEmpty(bytes), shown).toBe(true);
  }
}

/** The terminal word that a registry which is JSON has for this worker, or null. */
function endInRegistry(bytes: Buffer, id: string): string | null {
  const value = parsed(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  const rows: readonly unknown[] = isRecord(value) && Array.isArray(value['workers']) ? value['workers'] : [];
  const row = rows.filter(isRecord).findLast((one) => one['worker_id'] === id);
  const word = typeof row?.['status'] === 'string' ? meaningOf(row['status']) : null;
  return word === 'running' ? null : word;
}

/** Only a registry that is whole and lists nobody may show nobody. */
function mayBeEmpty(bytes: Buffer): boolean {
  const value = parsed(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  const workers = isRecord(value) ? (value['workers'] ?? value['active_workers']) : undefined;
  return (
    isRecord(value) && (workers === undefined || workers === null || (Array.isArray(workers) && workers.length === 0))
  );
}
