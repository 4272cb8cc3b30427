import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import type { ProcessIdentity } from '../../src/core/protocol/keeper/processIdentity';
import { formatStatusDocument } from '../../src/core/protocol/workers/formatStatusDocument';
import { formatRegistryDocument } from '../../src/core/protocol/workers/registryDocument';
import type { RegistryEntry, StatusDocument } from '../../src/core/protocol/workers/registryEntry';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId, outputDirOf } from '../../src/core/protocol/workers/workerId';

const TYPES = ['consolidate', 'export-brain', 'health-check', 'pattern-analysis'] as const;
const HOUR_MS = 3_600_000;

export interface FleetPlan {
  readonly root: string;
  readonly count: number;
  /** How many of them run; the others completed in the last hours. */
  readonly active: number;
  /** Stands in for keeper and worker of those that run: a process that lives as long as the measurement. */
  readonly living: ProcessIdentity;
}

/** Where a fleet lies, and every file that a reference reads to know as much about it. */
export interface FleetFiles {
  readonly workersDir: string;
  readonly registry: string;
  /** The status.json of each worker, those that run first. */
  readonly statuses: readonly string[];
  /** The keeper.json of every second worker: half of a fleet is somebody else's. */
  readonly keepers: readonly string[];
}

/** Writes a project whose workers are only files, as a day of two orchestrators leaves them. */
export async function writeFleet(plan: FleetPlan): Promise<FleetFiles> {
  const workersDir = join(plan.root, '.keysarium', 'workers');
  await mkdir(workersDir, { recursive: true });
  const now = Date.now();
  const entries = Array.from({ length: plan.count }, (_, index) => entryOf(index, index < plan.active, now));
  const statuses: string[] = [];
  const keepers: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const folder = join(workersDir, entry.worker_id);
    await mkdir(join(folder, 'output'), { recursive: true });
    statuses.push(await put(join(folder, 'status.json'), formatStatusDocument(statusOf(entry, index % 7))));
    if (entry.completed_at !== null) {
      await put(join(folder, 'output', 'health-report.json'), '{}\n');
    }
    if (index % 2 === 0) {
      keepers.push(await put(join(folder, 'keeper.json'), JSON.stringify(keeperOf(entry, plan.living), null, 2)));
    }
  }
  const rows = entries.map((entry) => ({ kind: 'entry', entry }) as const);
  const text = formatRegistryDocument({ version: '1.0', maxConcurrent: Math.max(3, plan.active), rows, extra: {} });
  return { workersDir, registry: await put(join(workersDir, 'registry.json'), text), statuses, keepers };
}

/** The status.json of a running worker that has come so far. */
function statusOf(entry: RegistryEntry, processed: number): StatusDocument {
  const { worker_id, type, started_at, completed_at } = entry;
  const ended = completed_at !== null;
  const progress = { phase: ended ? 'completed' : 'scanning researches', items_processed: processed, total_items: 7 };
  const status = ended ? 'completed' : 'running';
  return { worker_id, type, status, started_at, completed_at, progress, error: null };
}

async function put(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  return path;
}

function entryOf(index: number, runs: boolean, now: number): RegistryEntry {
  const type = TYPES[index % TYPES.length] ?? 'consolidate';
  const startedMs = now - 2 * HOUR_MS - index * 1000;
  const workerId = makeWorkerId(type, startedMs);
  return {
    worker_id: workerId,
    type,
    status: runs ? 'running' : 'completed',
    model: 'haiku',
    started_at: formatTimestamp(startedMs),
    completed_at: runs ? null : formatTimestamp(now),
    output_dir: outputDirOf(workerId),
    retry_count: 0,
    extra: {},
  };
}

function keeperOf(entry: RegistryEntry, living: ProcessIdentity): KeeperRecord {
  const process = { ...living, pgid: living.pid };
  const started = new Date(entry.started_at).toISOString();
  const exit =
    entry.completed_at === null
      ? null
      : ({
          code: 0,
          signal: null,
          at: new Date(entry.completed_at).toISOString(),
          class: 'done',
          requestedBy: null,
          forced: false,
        } as const);
  return {
    v: 1,
    workerId: entry.worker_id,
    nonce: 'ab'.repeat(16),
    keeper: living,
    process,
    command: ['node', 'worker.js', entry.worker_id],
    started,
    endpoint: '/nowhere/keeper.sock',
    epoch: 1,
    attempts: [{ process, startedAt: started, exit }],
    stop: null,
    output: { rawOffset: 4096, logBytes: 4096, droppedBytes: 0 },
  };
}
