import { spawnSync } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { removeDeadSockets } from './deadSockets';

const folder = useTempFolder('sockets');
const HOUR_MS = 3_600_000;

/** A socket as a killed process leaves it. */
function deadSocket(name: string, ageMs: number): string {
  const path = join(folder.path, name);
  spawnSync(process.execPath, [
    '-e',
    'require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))',
    path,
  ]);
  return aged(path, ageMs);
}

function aged(path: string, ageMs: number): string {
  const at = (Date.now() - ageMs) / 1000;
  utimesSync(path, at, at);
  return path;
}

describe('removing dead sockets', () => {
  it('takes what a killed process left, and leaves the living, the new and what is no socket', async () => {
    const dead = deadSocket('dead.sock', HOUR_MS);
    const fresh = deadSocket('fresh.sock', 1_000);
    const living = join(folder.path, 'living.sock');
    const server = createServer().listen(living);
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.close();
    });
    aged(living, HOUR_MS);
    const file = join(folder.path, 'file.sock');
    writeFileSync(file, '');
    aged(file, HOUR_MS);
    expect(await removeDeadSockets(folder.path, Date.now())).toBe(1);
    expect([dead, fresh, living, file].map((path) => existsSync(path))).toEqual([false, true, true, true]);
  });

  it('does nothing where there is no folder, or only young files by the clock', async () => {
    expect(await removeDeadSockets(join(folder.path, 'nowhere'), Date.now())).toBe(0);
    const old = deadSocket('old.sock', HOUR_MS);
    expect(await removeDeadSockets(folder.path, Date.now() - 2 * HOUR_MS)).toBe(0);
    expect(existsSync(old)).toBe(true);
  });
});
