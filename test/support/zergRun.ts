import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Session A: another program that writes the files of feature runs below a project, and knows nothing of who watches. */
export interface ZergRun {
  /** Does these acts on a feature one after the other, e.g. `beat 0 4 1 2 3 5`; see zergRun.py. Rejects for a wrong one. */
  act(feature: string, ...acts: readonly string[]): Promise<void>;
}

/** Session A in the project `root`; `support` is the folder of zergRun.py. Each call is a process that ends. */
export function zergRun(root: string, support = join('test', 'support')): ZergRun {
  return {
    async act(feature, ...acts) {
      const playing = run('python3', [join(support, 'zergRun.py'), root]);
      playing.child.stdin?.end(acts.map((act) => `${feature} ${act}\n`).join(''));
      await playing;
    },
  };
}
