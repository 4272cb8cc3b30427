import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exclusively } from '../vscode/exclusively';
import { hostCacheFolder } from '../vscode/hostTargets';

const project = ['pwsh.csproj', 'Program.cs'] as const;
const suffix = process.platform === 'win32' ? '.exe' : '';

/** A PowerShell that can be run, or why there is none. */
export type FoundPwsh = { readonly path: string } | { readonly trouble: string };

/** The `pwsh` on PATH, else the one in the cache, without building any. `sources` is the folder of pwsh.csproj. */
export function findPwsh(sources: string): FoundPwsh {
  const path = onPath('pwsh') ?? builtIn(cacheFolder(sources));
  return path === undefined ? { trouble: 'no pwsh on PATH, and none was built: node scripts/setupPwsh.mjs' } : { path };
}

/**
 * The `pwsh` on PATH, else one that is built from NuGet by the `dotnet` on PATH, once for all clones (15 s, 58 MB). Safe to
 * call from many processes at once: one builds, the others wait for it.
 */
export async function installPwsh(sources: string, say: (line: string) => void): Promise<FoundPwsh> {
  const found = findPwsh(sources);
  if ('path' in found) {
    return found;
  }
  const dotnet = onPath('dotnet');
  if (dotnet === undefined) {
    return { trouble: 'there is neither pwsh nor dotnet on PATH' };
  }
  const folder = cacheFolder(sources);
  return await exclusively(`rollcall-pwsh-${digest(folder)}`, async () => {
    if (builtIn(folder) === undefined) {
      say('building a PowerShell from NuGet');
      const trouble = await build(dotnet, sources, folder);
      if (trouble !== null) {
        return { trouble };
      }
      say(`ready in ${folder}`);
    }
    return findPwsh(sources);
  });
}

/** Why it could not be built, or null. */
async function build(dotnet: string, sources: string, folder: string): Promise<string | null> {
  mkdirSync(hostCacheFolder(process.env), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.tmp-`);
  try {
    project.forEach((file) => {
      copyFileSync(join(sources, file), join(unfinished, file));
    });
    const out = join(unfinished, 'out');
    const built = await run(dotnet, ['build', unfinished, '-c', 'Release', '-o', out, '-v', 'quiet']);
    if (built.code !== 0) {
      return `dotnet could not build it: ${built.output.trim().slice(-1000)}`;
    }
    const tried = await run(join(out, `pwsh${suffix}`), ['-NoProfile', '-NonInteractive', '-Command', 'exit 42']);
    if (tried.code !== 42) {
      return `what dotnet built does not run: ${tried.output.trim().slice(-1000)}`;
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(out, folder);
    return null;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function run(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: `${stdout}${stderr}` };
}

/** Another one for each change of its sources. */
function cacheFolder(sources: string): string {
  const key = digest(project.map((file) => readFileSync(join(sources, file), 'utf8')).join('\0'));
  return join(hostCacheFolder(process.env), `pwsh-${process.platform}-${process.arch}-${key}`);
}

function builtIn(folder: string): string | undefined {
  const path = join(folder, `pwsh${suffix}`);
  return existsSync(path) ? path : undefined;
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, `${name}${suffix}`)).find((path) => existsSync(path));
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
