import { join } from 'node:path';
import { homeOf } from './homeOf';
import type { AdapterCommand, AdapterRun, EngineAdapter } from './engineAdapter';

/** OpenAI's Codex (seen with 0.171.0). */
export const codex: EngineAdapter = {
  name: 'codex',
  isExperimental: false,
  program: 'codex',
  models: { haiku: null, sonnet: null, opus: null },
  inherits: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME'],
  loginVariables: ['CODEX_API_KEY'],
  loginStatusArgs: ['login', 'status'],
  loginFiles: () => [],
  loginCommand: 'codex login',
  installCommand: 'npm install -g @openai/codex',
  hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  addressVariables: ['OPENAI_BASE_URL'],
  stateFolders: (env, home) => [codexHome(env, home)],
  protectedState: (env, home) =>
    ['config.toml', 'hooks.json', 'rules', 'AGENTS.md', 'prompts', 'plugins'].map((name) =>
      join(codexHome(env, home), name),
    ),
  scrubVariable: null,
  runsUnasked: [],
  commandOf,
  orderOf: ({ env }) => ({
    stream: 'codex',
    // SIGINT ends it too, but SIGTERM to the group reaches the program behind npm's wrapper, and its commands.
    interrupt: { signal: 'SIGTERM', group: true },
    control: false,
    rollouts: join(codexHome(env, homeOf(env)), 'sessions'),
    leavings: ['.git', '.codex', '.agents', '.aws'],
  }),
  openArgs: (sessionId) => ['resume', sessionId],
};

function codexHome(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return env['CODEX_HOME'] ?? join(home, '.codex');
}

function commandOf(run: AdapterRun): AdapterCommand {
  const settings = [
    // Without these two it may write all of the temporary folder.
    'sandbox_workspace_write.exclude_slash_tmp=true',
    'sandbox_workspace_write.exclude_tmpdir_env_var=true',
    // Its commands need not know the keys.
    'shell_environment_policy.ignore_default_excludes=false',
    ...(run.hasWorktree === true ? [`sandbox_workspace_write.writable_roots=${JSON.stringify([run.folder])}`] : []),
    'analytics.enabled=false',
    'check_for_update_on_startup=false',
    ...(run.loadsProject === true ? [] : ['project_doc_max_bytes=0']),
  ];
  return {
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--sandbox',
      // Its own sandbox wants to make folders in the project, which ours forbids; one is enough.
      run.isSandboxed === true ? 'danger-full-access' : 'workspace-write',
      ...(run.model === null ? [] : ['-m', run.model]),
      ...['plugins', 'apps', 'multi_agent'].flatMap((feature) => ['--disable', feature]),
      ...settings.flatMap((setting) => ['-c', setting]),
      ...run.extraArgs,
      ...(run.resume === undefined ? [] : ['resume', run.resume]),
      '-',
    ],
    env: {},
    stdin: run.prompt,
  };
}
