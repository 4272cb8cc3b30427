import { chmod, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { assertEndpointLength, endpointFor, ensurePrivateFolder, runtimeDirOf } from './runtimeDir';

const folder = useTempFolder('runtime');

describe('ensurePrivateFolder', () => {
  it('makes a folder that only this user may enter, and takes it again', async () => {
    const wanted = runtimeDirOf(folder.path);
    await ensurePrivateFolder(wanted);
    expect((await stat(wanted)).mode & 0o777).toBe(0o700);
    await expect(ensurePrivateFolder(wanted)).resolves.toBeUndefined();
  });

  it('refuses a folder that others may enter, and a link, and says what to do', async () => {
    const made = join(folder.path, 'made');
    await ensurePrivateFolder(made);
    await symlink(made, join(folder.path, 'link'));
    await expect(ensurePrivateFolder(join(folder.path, 'link'))).rejects.toThrow(/not a folder of its own.*Remove it/);
    await chmod(made, 0o755);
    await expect(ensurePrivateFolder(made)).rejects.toThrow(/not private.*Remove it/);
  });
});

describe('endpointFor', () => {
  it('is short however long the key is, and another one for each key and folder', () => {
    const endpoints = ['/a', '/b'].flatMap((dir) =>
      ['k', 'K'.repeat(5000)].map((key) => endpointFor(dir, key, 'linux')),
    );
    expect(new Set(endpoints).size).toBe(4);
    expect(Math.max(...endpoints.map((endpoint) => endpoint.length))).toBeLessThan(40);
  });

  it('is a named pipe on Windows', () => {
    expect(endpointFor('C:\\Temp', 'k', 'win32')).toMatch(/^\\\\\.\\pipe\\rollcall-[0-9a-f]+$/);
  });

  it('is refused with a clear reason where the system would cut it', () => {
    expect(() => {
      assertEndpointLength(`/${'ü'.repeat(60)}`, 'linux');
    }).toThrow(/121 bytes, the system allows 107.*shorter temp folder/);
    expect(() => {
      assertEndpointLength(`/${'x'.repeat(103)}`, 'darwin');
    }).toThrow('allows 103');
    expect(() => {
      assertEndpointLength(`/${'x'.repeat(200)}`, 'win32');
    }).not.toThrow();
  });
});
