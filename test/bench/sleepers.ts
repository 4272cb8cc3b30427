import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many workers, or processes of the reference, run at once. */
export const SLEEPERS = 20;

/** A project whose type `sleeper` starts a process that only sleeps; gives the process's program. */
export function writeSleepers(root: string): string {
  const program = join(root, 'sleeper.cjs');
  mkdirSync(join(root, '.vscode'), { recursive: true });
  writeFileSync(program, 'setInterval(() => undefined, 60_000);\n');
  // The reference has no sandbox; the audit is the isolation that every machine has.
  const sleeper = { description: 'Only sleeps', command: [process.execPath, program], isolation: 'audit' };
  const config = { version: 1, maxConcurrent: SLEEPERS, types: { sleeper } };
  writeFileSync(join(root, '.vscode', 'workers.json'), JSON.stringify(config));
  return program;
}
