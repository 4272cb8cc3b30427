import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles `test/bench/<name>.ts`, a program of its own, into `folder` and gives the file to run with Node. */
export async function bundleScript(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.cjs`);
  await build({
    entryPoints: [join('test', 'bench', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    logLevel: 'warning',
  });
  return outfile;
}
