import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePsRows } from './darwinProbe';
import { linuxProbe, parseStat } from './linuxProbe';
import { bootId, identityOf, livenessOf, ownIdentity, workerProcessOf } from './processIdentity';
import { parseCimRows } from './windowsProbe';

describe('an identity', () => {
  it('is alive for this process, and dead for the same number with another start', async () => {
    const own = await ownIdentity();
    expect(own.pid).toBe(process.pid);
    expect(await livenessOf(own)).toBe('alive');
    expect(await livenessOf({ ...own, startTime: `${own.startTime}0` })).toBe('dead');
  });

  it('is dead once the process has ended, also while it is a zombie of its parent', async () => {
    const child = spawn('true', { stdio: 'ignore' });
    // Nothing is awaited between the start and the busy wait, so this process cannot take the exit code before.
    const pid = child.pid ?? 0;
    const deadline = performance.now() + 10_000;
    while (parseStat(statOf(pid))?.state !== 'Z' && performance.now() < deadline) {
      continue;
    }
    const seen = workerProcessOf(pid);
    const alive = identityOf(pid);
    expect(await seen).toMatchObject({ pid });
    expect(await alive).toBeNull();
    await once(child, 'exit');
    expect(await livenessOf((await seen) ?? { pid, startTime: '' })).toBe('dead');
  });

  it.runIf(process.platform === 'linux')('is dead for a thread id that answers signal 0', async () => {
    const thread =
      readdirSync(`/proc/${process.pid}/task`)
        .map(Number)
        .find((id) => id !== process.pid) ?? 0;
    expect(process.kill(thread, 0)).toBe(true);
    expect(await identityOf(thread)).toBeNull();
    const startTime = `${await bootId()}:${parseStat(statOf(thread))?.startTicks ?? ''}`;
    expect(await livenessOf({ pid: thread, startTime })).toBe('dead');
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 40])('is never a group, a fraction or nonsense: %s', async (pid) => {
    expect(await identityOf(pid)).toBeNull();
    expect(await livenessOf({ pid, startTime: 'x' })).toBe('dead');
  });

  it('is unknown, never dead, when /proc does not tell and the process answers', async () => {
    expect(await linuxProbe('/nowhere').look(process.pid)).toEqual({ kind: 'unclear' });
  });
});

describe('what the platforms say', () => {
  it('is read from /proc although the name of the command holds brackets and blanks', () => {
    const tail = Array.from({ length: 30 }, (_, index) => `${index + 5}`).join(' ');
    expect(parseStat(`42 (a) S (b) 1) R 1 2 ${tail}`)).toEqual({ state: 'R', ppid: 1, pgid: 2, startTicks: '21' });
    expect(parseStat('42 (cut) R 1')).toBeNull();
  });

  it('is read from ps, zombies and foreign lines left out', () => {
    const text = '  1 0 1 Ss Mon Mar  2 09:00:00 2026\n 77 1 77 Z  Mon Mar  2 09:00:00 2026\nnonsense\n';
    expect(parsePsRows(text)).toEqual([{ pid: 1, ppid: 0, pgid: 1, startTime: 'Mon Mar 2 09:00:00 2026' }]);
  });

  it('is read from CIM, with either line end', () => {
    expect(parseCimRows('4 0 133\r\nx y z\r\n8 4 134\n')).toEqual([
      { pid: 4, ppid: 0, pgid: 0, startTime: '133' },
      { pid: 8, ppid: 4, pgid: 0, startTime: '134' },
    ]);
  });
});

function statOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'latin1');
}
