import { join } from 'node:path';
import { readRecord, textAt } from '../protocol/features/jsonFields';
import { allowListedEnv } from '../system/cleanEnv';
import { runTool } from '../system/runTool';
import { sandboxTrouble } from '../system/sandboxProbe';
import type { CallerEnv } from './hostContext';
import type { IsolationMeans } from './isolation';

interface MeansOptions {
  readonly distDir: string;
  readonly nodePath: string;
  readonly env: CallerEnv;
}

/** The sandbox that is shipped beside the other bundles, and a probe of this machine that is made once per PATH. */
export function isolationMeans({ distDir, nodePath, env }: MeansOptions): IsolationMeans {
  const script = join(distDir, 'srt.js');
  const answers = new Map<string, Promise<string | null>>();
  const ask = async (path: string): Promise<string | null> =>
    await sandboxTrouble({
      platform: process.platform,
      arch: process.arch,
      uid: process.getuid?.() ?? null,
      path,
      script,
      vendorFolder: join(distDir, 'vendor'),
    });
  return {
    program: { nodePath, script },
    trouble: async (path) => {
      const answer = answers.get(path) ?? ask(path);
      answers.set(path, answer);
      return await answer;
    },
    containers: {
      trouble: async (endpoint, image) => {
        const args = [join(distDir, 'docker.js'), 'check', JSON.stringify(endpoint), image];
        const said =
          readRecord(await runTool(nodePath, args, allowListedEnv(env, { ELECTRON_RUN_AS_NODE: '1' }))) ?? {};
        return textAt(said, 'error') ?? textAt(said, 'trouble');
      },
    },
  };
}
