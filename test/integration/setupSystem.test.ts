import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('the setup of the machine', () => {
  it('says what to install where it may not install it, and fails', () => {
    const run = setup(['host'], { PATH: '/nowhere' });
    expect(run.stdout).toContain('missing: g++, make, python3, tar, rg.');
    if (process.platform === 'linux') {
      expect(run.stdout).toContain('sudo apt-get install -y g++ make python3 tar ripgrep');
    }
    expect(run.status).toBe(1);
  });

  it('takes a browser that CHROMIUM_EXECUTABLE names', () => {
    const run = setup(['browser'], { PATH: '/nowhere', CHROMIUM_EXECUTABLE: process.execPath });
    expect(run.stdout).toBe('');
    expect(run.status).toBe(0);
  });
});

function setup(purposes: string[], env: Record<string, string>): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ['scripts/setupSystem.mjs', ...purposes], { env, encoding: 'utf8' });
}
