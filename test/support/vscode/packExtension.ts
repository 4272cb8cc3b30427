import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './runTool';

const folder = join(process.cwd(), 'out', 'ui');

/** The packed extension that the UI tests install. */
export const packedExtension = join(folder, 'rollcall.vsix');

/** Called by vitest once before the UI tests: builds and packs the extension as it is now. */
export async function setup(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await runTool(process.execPath, ['scripts/package.mjs', packedExtension]);
}
