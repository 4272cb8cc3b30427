import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { pwsh } from './pwsh/realPwsh';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** How agents of one language are run. */
export interface AgentLanguage {
  readonly name: string;
  /** Of its agents in test/fixtures/agents. */
  readonly extension: 'ps1' | 'mjs' | 'py';
  /** The program and its arguments before the script; null where this machine has none. */
  readonly command: readonly string[] | null;
  /** Where the runtime is, and under which name agents look for it. */
  readonly runtime: readonly [source: string, name: string];
}

export const powershell: AgentLanguage = {
  name: 'PowerShell',
  extension: 'ps1',
  command: pwsh === null ? null : [pwsh, '-NoProfile', '-NonInteractive', '-File'],
  runtime: ['media/agent-runtime/agent-runtime.ps1', 'agent-runtime.ps1'],
};

export const languages: readonly AgentLanguage[] = [
  powershell,
  {
    name: 'Node',
    extension: 'mjs',
    command: [process.execPath],
    runtime: ['dist/agent.mjs', 'agent-runtime.mjs'],
  },
  {
    name: 'Python',
    extension: 'py',
    command: ['python3'],
    runtime: ['media/agent-runtime/agent_runtime.py', 'agent_runtime.py'],
  },
];

/** A project with one agent of test/fixtures/agents, in a folder of its own. */
export function agentProject(language: AgentLanguage, agent: string): { root: string; script: string } {
  // Short: sockets lie in it, and their paths are limited.
  const root = mkdtempSync(join(tmpdir(), 'rc agent '));
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true });
  });
  return { root, script: addAgent(root, language, agent) };
}

/** Puts an agent and its runtime where the document has them; gives the path of its script. */
export function addAgent(root: string, { runtime, extension }: AgentLanguage, agent: string): string {
  const [source, name] = runtime;
  const file = `${agent}.${extension}`;
  const folder = join(root, '.claude', 'agents', agent);
  mkdirSync(join(root, '.claude', 'scripts'), { recursive: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(project, source), join(root, '.claude', 'scripts', name));
  copyFileSync(join(project, 'test', 'fixtures', 'agents', file), join(folder, file));
  return join(folder, file);
}

/** An agent's process. */
export interface RunningAgent {
  readonly child: ChildProcess;
  /** How it ended and all that it printed. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Runs an agent in its project; it ends with the test at the latest. */
export function runAgent(
  { command }: AgentLanguage,
  { root, script }: { root: string; script: string },
  { env = {}, args = [] }: { env?: NodeJS.ProcessEnv; args?: readonly string[] } = {},
): RunningAgent {
  const [program = '', ...before] = command ?? [];
  const child = spawn(program, [...before, script, ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', TMPDIR: root, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const ended = new Promise<Awaited<RunningAgent['ended']>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
}
