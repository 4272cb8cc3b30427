import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/core/base/clock';
import type { EngineCommand, KeeperSpec } from '../../src/core/protocol/keeper/keeperSpec';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId } from '../../src/core/protocol/workers/workerId';
import { launchKeeper } from '../../src/core/supervisor/keeperLauncher';
import type { BenchContext } from './bench';

const MEGABYTE = 1024 * 1024;

/** The record of a keeper that runs this program with the product's own limits; `folder` is its worker's. */
export interface KeptProcess {
  readonly folder: string;
  readonly record: () => KeeperRecord | null;
}

/** Starts a keeper behind a Node program. */
export async function keepProcess(root: string, args: readonly string[], context: BenchContext): Promise<KeptProcess> {
  const now = Date.now();
  const workerId = makeWorkerId('health-check', now);
  const folder = join(root, '.keysarium', 'workers', workerId);
  await mkdir(join(folder, 'output'), { recursive: true });
  const env = { PATH: process.env['PATH'] ?? '' };
  const command: EngineCommand = { command: process.execPath, args, env, cwd: root, stdin: null };
  const spec: KeeperSpec = {
    v: 1,
    workerId,
    type: 'health-check',
    root,
    folder,
    nonce: '5a'.repeat(16),
    epoch: 1,
    startedAt: formatTimestamp(now),
    command,
    secrets: [],
    graceMs: 30_000,
    termGraceMs: 5_000,
    limits: { rawBytes: 50 * MEGABYTE, logBytes: 50 * MEGABYTE, logFiles: 3 },
    runtimeDir: join(context.tempDir, 'run'),
    adopt: null,
  };
  const keeperScript = join(context.distDir, 'keeper.js');
  const ready = await launchKeeper({ nodePath: process.execPath, keeperScript, env, clock: systemClock(), spec });
  if (!ready.ready) {
    throw new Error(ready.message);
  }
  return { folder, record: () => readKeeperRecord(readFileSync(join(folder, 'keeper.json'), 'utf8')) };
}

/** Memory that only this process has, in MB; NaN where the system does not tell. */
export function privateMegabytes(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
    const kilobytes = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s*(\d+)/gm)].map(([, size]) => Number(size));
    return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
  } catch {
    // Not Linux, or the process has just ended.
    return Number.NaN;
  }
}
