import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, BenchRow } from './bench';
import { runProgram } from './runProgram';

const KILOBYTE = 1000;

/** Sizes of what is shipped. */
export const bundleSizes: Bench = {
  name: 'sizes',
  run: async ({ distDir, tempDir }) => {
    const vsix = join(tempDir, 'rollcall.vsix');
    await runProgram([join('scripts', 'package.mjs'), vsix]);
    const bundle = (name: string, limit: number): BenchRow => sizeRow(`${name}.js`, join(distDir, `${name}.js`), limit);
    return [bundle('window', 600), bundle('cli-program', 600), bundle('keeper', 150), sizeRow('VSIX', vsix, 3000)];
  },
};

function sizeRow(title: string, path: string, limit: number): BenchRow {
  const value = statSync(path).size / KILOBYTE;
  return { title, unit: 'KB', value, reference: null, bars: [{ of: 'value', limit }], note: null };
}
