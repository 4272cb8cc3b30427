import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aMessage } from '../../../test/support/sessionLines';
import { tempProject } from '../../../test/support/tempProject';
import { isKeeperClaim } from '../protocol/keeper/keeperClaim';
import { readKeeperRecord } from '../protocol/keeper/readKeeperRecord';
import { callFolderIn, claimCall, removeCalls } from './callFolder';

const call = { message: aMessage({ id: 'm-1' }), sentAt: '2026-03-01T00:00:00.000Z' };
const nobodyLives = async (): Promise<boolean> => Promise.resolve(false);

async function agent(): Promise<{ root: string; paths: Parameters<typeof callFolderIn>[0] }> {
  const root = await tempProject({ '.claude/session/keepers/developer/spool.jsonl': '' });
  const folder = join(root, '.claude/session/keepers/developer');
  return { root, paths: { folder, cursorFile: join(folder, 'cursor'), logFile: join(root, 'log') } };
}

describe('the folder of a call', () => {
  it('is that of no other call, also where a number or an id comes again', async () => {
    const { paths } = await agent();
    const names = [
      callFolderIn(paths, 7, call),
      callFolderIn(paths, 8, call),
      callFolderIn(paths, 7, { ...call, sentAt: '2026-03-01T00:00:00.001Z' }),
      callFolderIn(paths, 7, { ...call, message: aMessage({ id: 'm-2' }) }),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
    expect(callFolderIn(paths, 7, call).name).toBe(names[0]);
  });

  it('is claimed by one of those who want to start it, and names that one', async () => {
    const { root, paths } = await agent();
    const place = callFolderIn(paths, 7, call);
    const claim = { root, nonce: 'ab', at: '2026-03-01T00:00:00.000Z' };
    const tries = await Promise.all(Array.from({ length: 8 }, async () => claimCall(place, claim)));
    expect(tries.filter((claimed) => claimed.ok && claimed.value)).toHaveLength(1);
    const record = readKeeperRecord(readFileSync(join(place.folder, 'keeper.json'), 'utf8'));
    expect(record).toMatchObject({ workerId: place.name, keeper: { pid: process.pid } });
    expect(record !== null && isKeeperClaim(record)).toBe(true);
  });

  it('is never made or removed behind a link', async () => {
    const { root, paths } = await agent();
    const outside = await tempProject({ 'call-0123456789abcdef/precious': 'x' });
    symlinkSync(outside, join(paths.folder, 'calls'));
    const claimed = await claimCall(callFolderIn(paths, 7, call), { root, nonce: 'ab', at: '' });
    expect(claimed).toMatchObject({ ok: false, error: expect.stringContaining('leads out of the project') });
    expect(await removeCalls(root, paths, nobodyLives)).toBe(0);
    expect(existsSync(join(outside, 'call-0123456789abcdef/precious'))).toBe(true);
  });

  it('is removed once another call comes, unless it lives or is nothing of ours', async () => {
    const { root, paths } = await agent();
    for (const name of ['call-0123456789abcdef', 'call-fedcba9876543210', 'notes']) {
      mkdirSync(join(paths.folder, 'calls', name), { recursive: true });
      writeFileSync(join(paths.folder, 'calls', name, 'worker.log'), '');
    }
    const lives = async (folder: string): Promise<boolean> => Promise.resolve(folder.includes('fedc'));
    expect(await removeCalls(root, paths, lives)).toBe(1);
    expect(readdirSync(join(paths.folder, 'calls')).sort()).toEqual(['call-fedcba9876543210', 'notes']);
  });
});
