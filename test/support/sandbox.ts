import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isolationMeans } from '../../src/core/host/isolationMeans';
import { machineProbe } from '../../src/core/system/machineProbe';
import { distDir } from './testHost';

/** The sandbox of the last build. */
export const means = isolationMeans({ distDir, nodePath: process.execPath, env: process.env });

/** Why the tests of the sandbox cannot run here, or null. Where they are required, that is an error instead. */
export const noSandbox = await means.trouble(process.env['PATH'] ?? '');

if (noSandbox !== null) {
  if (process.env['ROLLCALL_REQUIRE_SANDBOX'] !== undefined) {
    throw new Error(`The tests of the sandbox are required, and none works here: ${noSandbox}.`);
  }
  process.stderr.write(`skipped: tests of the sandbox, because none works here: ${noSandbox}\n`);
}

/** Every running process that was started with `text` among its arguments' or its environment's values. */
export async function processesOf(name: string, value: string): Promise<readonly number[]> {
  const rows = await machineProbe.list();
  return rows.map(({ pid }) => pid).filter((pid) => machineProbe.environmentOf(pid)[name] === value);
}

/** The boxes of sandboxed runs that are left in a runtime folder. */
export function boxesIn(runtimeDir: string): readonly string[] {
  return readdirSync(runtimeDir).filter((entry) => entry.endsWith('.box'));
}

/** The paths of everything below a folder, its hidden files included. */
export function everythingIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
