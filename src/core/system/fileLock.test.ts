import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock';
import { FileLockTimeout, withFileLock } from './fileLock';
import { bootId, identityOf, ownIdentity } from './processIdentity';

let folder = '';
let lock = '';
const options = {
  clock: systemClock(),
  randomHex: (bytes: number) => randomBytes(bytes).toString('hex'),
  waitMs: 5000,
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-lock-'));
  lock = join(folder, 'registry.lock');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function deadOwner(): Promise<{ pid: number; startTime: string }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const identity = await identityOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (identity === null) {
    throw new Error('the helper process was not seen');
  }
  return identity;
}

describe('withFileLock', () => {
  it('lets one caller in at a time and leaves nothing behind', async () => {
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 12 }, async () =>
        withFileLock(
          lock,
          async () => {
            inside += 1;
            most = Math.max(most, inside);
            await readdir(folder);
            inside -= 1;
          },
          options,
        ),
      ),
    );
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('frees the lock when the job fails', async () => {
    await expect(withFileLock(lock, async () => Promise.reject(new Error('job broke')), options)).rejects.toThrow(
      'job broke',
    );
    expect(await withFileLock(lock, async () => Promise.resolve(7), options)).toBe(7);
  });

  it('is taken from a dead holder by exactly one of many contenders at a time', async () => {
    const owner = { ...(await deadOwner()), host: hostname(), bootId: await bootId(), nonce: 'ab'.repeat(16) };
    await writeFile(lock, JSON.stringify(owner));
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () =>
        withFileLock(
          lock,
          async () => {
            inside += 1;
            most = Math.max(most, inside);
            await readFile(lock);
            inside -= 1;
          },
          options,
        ),
      ),
    );
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is freed although the one who was freeing it died as well', async () => {
    const dead = { ...(await deadOwner()), host: hostname(), bootId: await bootId() };
    await writeFile(lock, JSON.stringify({ ...dead, nonce: 'aa'.repeat(16) }));
    await writeFile(`${lock}.${'aa'.repeat(16)}`, JSON.stringify({ ...dead, nonce: 'bb'.repeat(16) }));
    expect(await withFileLock(lock, async () => Promise.resolve('in'), options)).toBe('in');
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['a living holder', async () => ({ ...(await ownIdentity()), host: hostname(), bootId: await bootId() })],
    ['a holder on another host', async () => ({ ...(await deadOwner()), host: 'elsewhere', bootId: 'other' })],
  ])('is never taken from %s, and the refusal names it', async (_name, ownerOf) => {
    const text = JSON.stringify({ ...(await ownerOf()), nonce: 'cd'.repeat(16) });
    await writeFile(lock, text);
    const attempt = withFileLock(lock, async () => Promise.resolve(), { ...options, waitMs: 30 });
    await expect(attempt).rejects.toThrow(FileLockTimeout);
    await expect(attempt).rejects.toThrow(/locked by process \d+ on .*try again/);
    expect(await readFile(lock, 'utf8')).toBe(text);
  });

  it('is never taken from a file that is not a lock', async () => {
    await writeFile(lock, '');
    const attempt = withFileLock(lock, async () => Promise.resolve(), { ...options, waitMs: 30 });
    await expect(attempt).rejects.toThrow('unknown program');
    expect(await readdir(folder)).toEqual(['registry.lock']);
  });
});
