import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProgram } from './findProgram';
import { sandboxTrouble, trivialRun } from './sandboxProbe';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-probe-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

const asked = async (path: string, platform: NodeJS.Platform = 'linux') =>
  sandboxTrouble({ platform, arch: 'x64', uid: 1000, path, script: '/bin/sh', vendorFolder: '/nowhere' });

describe('sandboxTrouble', () => {
  it('names exactly what is missing and how to install it', async () => {
    const path = await folderWith({ socat: '', bash: '' });
    expect(await asked(path)).toBe(
      'bubblewrap, ripgrep not found; install bubblewrap, socat and ripgrep, e.g. apt-get install bubblewrap socat ripgrep',
    );
    expect(await asked(path, 'darwin')).toContain('brew install ripgrep');
  });

  it('believes no program that is there but cannot make a sandbox', async () => {
    const bwrap = '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n';
    const path = await folderWith({ bwrap, socat: '', bash: '', rg: '' });
    expect(await asked(path)).toMatch(/^this machine does not allow one \(bwrap: No permissions.*user namespaces/);
  });

  it('says that there is none where the system has none, and when our own program is missing', async () => {
    expect(await asked('/bin', 'win32')).toContain('none for this system');
    const options = { platform: 'linux', arch: 'x64', uid: 0, path: '/bin', vendorFolder: '/nowhere' } as const;
    expect(await sandboxTrouble({ ...options, script: '/nowhere/srt.js' })).toContain('reinstall Rollcall');
  });
});

describe('trivialRun', () => {
  it('asks for what the sandbox will ask for, root included', () => {
    expect(trivialRun('/helper', 0)).toEqual(expect.arrayContaining(['--unshare-net', '--cap-add', '/helper']));
    expect(trivialRun('/helper', 1000)).not.toContain('--cap-add');
    expect(trivialRun(null, 0).slice(-4)).toEqual(['--', '/bin/sh', '-c', 'exit 0']);
  });
});

describe('findProgram', () => {
  it('finds a name on the path and anything with a slash from the folder of work', async () => {
    const folder = await folderWith({ tool: '' });
    expect(await findProgram('tool', `/nowhere::${folder}`, '/')).toEqual({ found: true, path: join(folder, 'tool') });
    expect(await findProgram('./tool', '', folder)).toEqual({ found: true, path: join(folder, 'tool') });
    expect(await findProgram('tool', '', folder)).toEqual({ found: false, code: 'ENOENT' });
  });

  it('tells what is not there from what may not be run', async () => {
    const folder = await folderWith({ tool: '' });
    await chmod(join(folder, 'tool'), 0o644);
    expect(await findProgram('tool', folder, '/')).toEqual({ found: false, code: 'EACCES' });
    expect(await findProgram(folder, '', '/')).toEqual({ found: false, code: 'EACCES' });
  });
});
