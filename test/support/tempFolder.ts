import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A fresh folder for each test of the file, with a blank in its name, removed behind the test. */
export function useTempFolder(name: string): { readonly path: string } {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), `rollcall ${name} `));
  });
  afterEach(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
  };
}
