import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { activation } from './activation';
import { bundleScript } from './bundleScript';
import { type Bench, type BenchContext, type BenchRow, ratioOf, verdictOf } from './bench';
import { benchTable } from './benchTable';
import { bundleSizes } from './bundleSizes';
import { commandLine } from './commandLine';
import { crashShown } from './crashShown';
import { featureStatus } from './featureStatus';
import { idleCost } from './idleCost';
import { keeperMemory } from './keeperMemory';
import { logReplay } from './logReplay';
import { manyStarts } from './manyStarts';
import { messages } from './messages';
import { outputFlood } from './outputFlood';
import { registryRefresh } from './registryRefresh';
import { rowShown } from './rowShown';

const BENCHES: readonly Bench[] = [
  registryRefresh,
  idleCost,
  commandLine,
  manyStarts,
  crashShown,
  featureStatus,
  rowShown,
  activation,
  messages,
  logReplay,
  keeperMemory,
  outputFlood,
  bundleSizes,
];

export interface BenchRequest {
  readonly short: boolean;
  /** Only these; all of them when empty. */
  readonly names: readonly string[];
  readonly distDir: string;
  /** Where the figures go as JSON. */
  readonly jsonFile: string;
}

/** The names by which measurements can be chosen. */
export const benchNames: readonly string[] = BENCHES.map(({ name }) => name);

/** Measures, prints the table, writes the JSON, and gives the rows whose bar was missed (in the short form: grossly). */
export async function runBench(request: BenchRequest): Promise<readonly BenchRow[]> {
  const tempDir = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-bench-')));
  const context: BenchContext = {
    short: request.short,
    distDir: request.distDir,
    tempDir,
    script: async (name) => bundleScript(name, tempDir),
  };
  try {
    const rows = await measured(context, request.names);
    process.stdout.write(`\n${benchTable(rows)}\n`);
    writeJson(request, rows);
    return rows.filter((row) => (request.short ? /^GROSSLY/ : /MISSED/).test(verdictOf(row)));
  } finally {
    rmSync(tempDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measured(context: BenchContext, names: readonly string[]): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, run } of BENCHES.filter((bench) => names.length === 0 || names.includes(bench.name))) {
    process.stdout.write(`measuring ${name} …\n`);
    rows.push(...(await run(context)));
  }
  return rows;
}

function writeJson({ short, jsonFile }: BenchRequest, rows: readonly BenchRow[]): void {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model ?? 'unknown', node: process.version };
  const results = rows.map((row) => ({ ...row, ratio: ratioOf(row), verdict: verdictOf(row) }));
  mkdirSync(dirname(jsonFile), { recursive: true });
  writeFileSync(jsonFile, `${JSON.stringify({ at: new Date().toISOString(), short, machine, results }, null, 2)}\n`);
}
