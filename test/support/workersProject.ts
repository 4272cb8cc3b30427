import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import { endKeepersOf } from './endKeepersOf';
import { tempProject } from './tempProject';

/** Types whose commands need nothing but Node. `wait` takes a slot until the file `go` is there, or its stop flag. */
const TYPES = {
  quick: { description: 'ends at once', command: ['node', '-e', 'console.log("done")'] },
  fails: { description: 'exits with 3', command: ['node', '-e', 'console.error("no disk"); process.exit(3)'] },
  wait: { description: 'waits to be told', command: ['node', 'wait.js'], graceSeconds: 30 },
};
const waitJs = `
const fs = require('node:fs');
console.log('waiting');
setInterval(() => {
  if (fs.existsSync('go') || fs.existsSync(process.env.ROLLCALL_STOP_FLAG)) process.exit(0);
}, 20);
`;

/** A project with the types `quick`, `fails` and `wait`; what it started is ended behind the test. */
export async function workersProject(config: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const root = await tempProject({
    '.vscode/workers.json': JSON.stringify({ version: 1, types: TYPES, ...config }),
    'wait.js': waitJs,
  });
  onTestFinished(async () => endKeepersOf(root));
  return root;
}

export function workersDirOf(root: string): string {
  return join(root, '.keysarium', 'workers');
}

/** The ids of the worker folders, oldest first; of one type only where it is named. */
export function workerFolders(root: string, type = ''): readonly string[] {
  const names = existsSync(workersDirOf(root)) ? readdirSync(workersDirOf(root)) : [];
  return names.filter((name) => name.startsWith('wkr-') && name.endsWith(type)).sort();
}

/** What registry.json says of each worker, by id. */
export function registryOf(root: string): ReadonlyMap<string, Record<string, unknown>> {
  const text = readFileSync(join(workersDirOf(root), 'registry.json'), 'utf8');
  const { workers } = JSON.parse(text) as { workers: Record<string, unknown>[] };
  return new Map(workers.map((entry) => [String(entry['worker_id']), entry]));
}

/** Tells every `wait` worker to end. */
export function letGo(root: string): void {
  writeFileSync(join(root, 'go'), '');
}

/** Starts a worker and gives its id. */
export async function started(host: HostApi, type: string): Promise<string> {
  const outcome = await host.start({ type, requestedBy: 'vscode' });
  if (!outcome.ok) {
    throw new Error(outcome.error.message);
  }
  return outcome.value.workerId;
}
