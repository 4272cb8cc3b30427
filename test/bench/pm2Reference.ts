import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { runProgram } from './runProgram';

/**
 * The process manager that we compare with. Its licence (AGPL) keeps it out of package.json: it is installed into a cache
 * folder by npm, run as a program and nothing else.
 */
const VERSION = '7.0.4';

export const PM2_NAME = `pm2 ${VERSION}`;
export const PM2_MISSING = 'pm2 could not be installed from the npm registry, so there is no reference';

/** A pm2 with a home of its own. */
export class Pm2 {
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(program: string, home: string) {
    this.#program = program;
    this.#env = { ...process.env, PM2_HOME: home };
  }

  /** Installed when the cache has none yet; null when that does not work here. */
  static async open(home: string): Promise<Pm2 | null> {
    const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    const folder = join(cache, 'rollcall-bench', `pm2-${VERSION}`);
    const program = join(folder, 'node_modules', 'pm2', 'bin', 'pm2');
    try {
      if (!existsSync(program)) {
        mkdirSync(folder, { recursive: true });
        const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `pm2@${VERSION}`];
        await promisify(execFile)('npm', args, { shell: process.platform === 'win32' });
      }
      const pm2 = new Pm2(program, home);
      await pm2.run('ping');
      return pm2;
    } catch {
      // Without it the row says so; the measurement of our own is still worth its while.
      return null;
    }
  }

  async run(...args: readonly string[]): Promise<string> {
    return await runProgram([this.#program, ...args], { env: this.#env });
  }

  /** Writes the file that starts `count` processes of `script`. */
  appsFile(folder: string, script: string, count: number): string {
    const apps = Array.from({ length: count }, (_, number) => ({ name: `sleeper-${String(number)}`, script }));
    const path = join(folder, 'apps.json');
    writeFileSync(path, JSON.stringify({ apps }));
    return path;
  }

  /** Ends its processes and its daemon. */
  async close(): Promise<void> {
    await this.run('kill');
  }
}
