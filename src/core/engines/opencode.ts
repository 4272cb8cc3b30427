import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plainRecord } from '../protocol/workers/plainRecord';
import { type JsonRecord, readRecord } from '../protocol/features/jsonFields';
import type { AdapterCommand, AdapterRun, EngineAdapter } from './engineAdapter';
import { writableFolders } from './writableFolders';

const CONFIG = 'OPENCODE_CONFIG_CONTENT';

/** opencode (seen with 1.18.33). */
export const opencode: EngineAdapter = {
  name: 'opencode',
  isExperimental: false,
  program: 'opencode',
  models: { haiku: null, sonnet: null, opus: null },
  inherits: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', CONFIG, 'OPENCODE_CONFIG', 'XDG_DATA_HOME'],
  loginVariables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', CONFIG],
  loginStatusArgs: null,
  loginFiles: (env, home) => [join(dataHome(env, home), 'opencode', 'auth.json')],
  loginCommand: 'opencode auth login',
  installCommand: 'npm install -g opencode-ai',
  hosts: ['opencode.ai', 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
  addressVariables: [],
  stateFolders: (env, home) => [
    join(dataHome(env, home), 'opencode'),
    ...['.config', '.cache', '.local/state'].map((folder) => join(home, folder, 'opencode')),
  ],
  protectedState: (_env, home) =>
    ['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md', 'plugin', 'plugins', 'agent', 'command'].map(
      (name) => join(home, '.config', 'opencode', name),
    ),
  scrubVariable: null,
  // They ran with every switch that there is.
  runsUnasked: ['.opencode/plugin', '.opencode/plugins'],
  commandOf,
  orderOf: () => ({
    stream: 'opencode',
    interrupt: { signal: 'SIGINT', group: false },
    control: false,
    rollouts: null,
    leavings: [],
  }),
  openArgs: (sessionId) => ['--session', sessionId],
};

function dataHome(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return env['XDG_DATA_HOME'] ?? join(home, '.local', 'share');
}

function commandOf(run: AdapterRun): AdapterCommand {
  return {
    args: [
      'run',
      '--format',
      'json',
      // Without one it asks the model for a title.
      '--title',
      run.workerId,
      ...(run.model === null ? [] : ['--model', run.model]),
      ...(run.resume === undefined ? [] : ['--session', run.resume]),
      ...run.extraArgs,
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      ...(run.loadsProject === true ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
    },
    merged: { [CONFIG]: JSON.stringify(configOf(run)) },
    stdin: run.prompt,
  };
}

/** The person's own configuration, with what a run without a terminal needs above it. */
function configOf(run: AdapterRun): object {
  const own = readRecord(run.env[CONFIG] ?? '') ?? {};
  const permission = plainRecord(own['permission']) ?? {};
  return {
    ...own,
    autoupdate: false,
    share: 'disabled',
    plugin: [...pluginsIn(own), pathToFileURL(join(run.distDir, 'rollcall-opencode.mjs')).href],
    permission: { ...permission, ...permissionOf(run) },
  };
}

/** The person's own; it adds those of its configuration files to them by itself. */
function pluginsIn({ plugin }: JsonRecord): readonly unknown[] {
  return Array.isArray(plugin) ? plugin : [];
}

/** Nothing may ask: without a terminal a question ends the turn, with exit code 0. */
function permissionOf(run: AdapterRun): object {
  // The last rule that fits counts.
  const edits = writableFolders(run).flatMap((path) => patternsFor(path, run.root));
  return {
    task: 'deny',
    question: 'deny',
    external_directory: 'deny',
    doom_loop: 'deny',
    bash: run.isSandboxed === true ? 'allow' : 'deny',
    edit: { '*': 'deny', ...Object.fromEntries(edits.map((pattern) => [pattern, 'allow'] as const)) },
  };
}

/** It names a file from the root of the repository that the project is in, or from the system's root where there is none. */
function patternsFor(path: string, root: string): readonly string[] {
  const above = dirname(root);
  const place = relative(root, path).split(sep).join('/');
  const pattern = place === '' ? '**' : `${place}/**`;
  return above === root ? [pattern] : [pattern, ...patternsFor(path, above)];
}
