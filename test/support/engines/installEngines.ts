import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exclusively } from '../vscode/exclusively';

/** The versions that `shared/notes/engines.md` describes; npm packages by the engine's name. */
const packages = {
  claude: '@anthropic-ai/claude-code@2.1.197',
  codex: '@openai/codex@0.171.0',
  opencode: 'opencode-ai@1.18.33',
} as const;

export type RealEngineName = keyof typeof packages;

/** Where the programs of the engines are, or why there are none. */
export type FoundEngines = { readonly bin: string } | { readonly trouble: string };

const suffix = process.platform === 'win32' ? '.cmd' : '';

/** The programs in the cache, without installing any. */
export function findEngines(): FoundEngines {
  const bin = join(cacheFolder(), 'node_modules', '.bin');
  const isComplete = existsSync(join(cacheFolder(), 'complete'));
  return isComplete ? { bin } : { trouble: 'they are not installed: node scripts/setupEngines.mjs' };
}

/** The path of one engine's program in a folder that `findEngines` gave. */
export function enginePath(bin: string, name: RealEngineName): string {
  return join(bin, `${name}${suffix}`);
}

/**
 * Installs the pinned programs from npm into a cache folder that all clones share (about 20 s, 700 MB), where it has none.
 * Safe to call from many processes at once: one installs, the others wait for it.
 */
export async function installEngines(say: (line: string) => void): Promise<FoundEngines> {
  const found = findEngines();
  if ('bin' in found) {
    return found;
  }
  return await exclusively(`rollcall-engines-${digest(cacheFolder())}`, async () => {
    const ready = findEngines();
    if ('bin' in ready) {
      return ready;
    }
    say(`installing ${Object.values(packages).join(', ')}`);
    const trouble = await install();
    if (trouble !== null) {
      return { trouble };
    }
    say(`ready in ${cacheFolder()}`);
    return findEngines();
  });
}

/** Why they could not be installed, or null. */
async function install(): Promise<string | null> {
  const folder = cacheFolder();
  mkdirSync(join(folder, '..'), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.tmp-`);
  try {
    writeFileSync(join(unfinished, 'package.json'), '{"private":true}\n');
    const npm = await run(
      ['install', '--no-audit', '--no-fund', '--loglevel=error', ...Object.values(packages)],
      unfinished,
    );
    if (npm.code !== 0) {
      return `npm could not install them: ${npm.output.trim().slice(-1000)}`;
    }
    writeFileSync(join(unfinished, 'complete'), '');
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return null;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function run(args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(`npm${suffix}`, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: `${stdout}${stderr}` };
}

/** Another one for each change of the versions. */
function cacheFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = process.env['ROLLCALL_TEST_ENGINES_CACHE'] ?? join(cache, 'rollcall-test-engines');
  return join(folder, `${process.platform}-${process.arch}-${digest(Object.values(packages).join('\0'))}`);
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
