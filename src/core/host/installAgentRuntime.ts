import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';
import { writeFileAtomic } from '../system/atomicFile';
import { confinedPath } from '../system/safePath';

/** The languages in which Rollcall ships a runtime for session agents (actors.md §8). */
export const agentLanguages = ['powershell', 'node', 'python'] as const;
export type AgentLanguage = (typeof agentLanguages)[number];

/** Where the document expects runtimes to be, seen from the project. */
const FOLDER = join('.claude', 'scripts');

/** In the first line of every runtime of ours, and of no other. */
const MARK = "Rollcall's runtime for session agents";

/** The name of each file there, and the folder beside the bundles that it comes from. */
const files: Readonly<Record<AgentLanguage, readonly (readonly [name: string, source: string])[]>> = {
  powershell: [['agent-runtime.ps1', '../media/agent-runtime/agent-runtime.ps1']],
  node: [
    ['agent-runtime.mjs', 'agent.mjs'],
    ['agent-runtime.d.mts', 'agent.d.mts'],
  ],
  python: [['agent_runtime.py', '../media/agent-runtime/agent_runtime.py']],
};

export interface InstallRequest {
  readonly root: string;
  readonly distDir: string;
  readonly language: AgentLanguage;
  /** Also where another's runtime has the name; that is kept under the name with `.bak`. */
  readonly force: boolean;
}

export interface InstalledRuntime {
  /** Absolute; the first is the runtime itself. */
  readonly files: readonly string[];
  /** What another's runtime is called now, absolute. */
  readonly kept: readonly string[];
  /** Whether any file is other than before. */
  readonly changed: boolean;
}

/**
 * Puts the runtime of a language where agents of the document look for it, or renews it there. The error is a sentence that
 * ends in what to do: the name belongs to another's runtime, or leads out of the project. Rejects with the system's error.
 */
export async function installAgentRuntime(request: InstallRequest): Promise<Result<InstalledRuntime, string>> {
  const plan: Planned[] = [];
  for (const [name, source] of files[request.language]) {
    const path = await confinedPath(request.root, join(FOLDER, name));
    if (!path.ok) {
      return fail(`${path.error} Make it a plain folder and try again.`);
    }
    const text = await readFile(join(request.distDir, source), 'utf8');
    plan.push({ path: path.value, text, before: await textOf(path.value) });
  }
  const foreign = plan.filter(({ before }) => before !== null && !isOurs(before));
  if (foreign.length > 0 && !request.force) {
    const names = foreign.map(({ path }) => path).join(' and ');
    return fail(`${names} is another runtime, and was left alone. Use --force to replace it; it is kept as .bak.`);
  }
  for (const { path } of foreign) {
    await rename(path, `${path}.bak`);
  }
  const outdated = plan.filter(({ text, before }) => text !== before);
  for (const { path, text } of outdated) {
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, text);
  }
  return ok({
    files: plan.map(({ path }) => path),
    kept: foreign.map(({ path }) => `${path}.bak`),
    changed: outdated.length > 0,
  });
}

interface Planned {
  readonly path: string;
  readonly text: string;
  readonly before: string | null;
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

function isOurs(text: string): boolean {
  return text.slice(0, text.indexOf('\n')).includes(MARK);
}
