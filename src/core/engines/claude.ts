import { join } from 'node:path';
import { claudePromptLine } from '../protocol/engines/claudeControl';
import type { AdapterCommand, AdapterRun, EngineAdapter } from './engineAdapter';
import { writableFolders } from './writableFolders';

const SUB_AGENTS = 'Agent,Task';

/** Sessions, and what its commands cannot do without. */
const stateNames = ['projects', 'session-env', 'shell-snapshots', 'file-history', 'tasks', 'todos'];

/** Claude Code (seen with 2.1.197). */
export const claude: EngineAdapter = {
  name: 'claude',
  isExperimental: false,
  program: 'claude',
  models: {},
  inherits: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
  ],
  loginVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  loginStatusArgs: ['auth', 'status'],
  loginFiles: () => [],
  loginCommand: 'claude auth login',
  installCommand: 'npm install -g @anthropic-ai/claude-code',
  hosts: ['api.anthropic.com', 'platform.claude.com', 'claude.ai'],
  addressVariables: ['ANTHROPIC_BASE_URL'],
  // Not the folder itself: its settings hold hooks, which would run in the person's next session.
  stateFolders: (env, home) => stateNames.map((name) => join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), name)),
  protectedState: () => [],
  scrubVariable: 'CLAUDE_ENV_FILE',
  runsUnasked: [],
  commandOf,
  orderOf: ({ mayAsk }) => ({
    stream: 'claude',
    interrupt: { signal: 'SIGINT', group: false },
    control: mayAsk === true,
    rollouts: null,
    leavings: [],
  }),
  openArgs: (sessionId) => ['--resume', sessionId],
};

function commandOf(run: AdapterRun): AdapterCommand {
  const asks = run.mayAsk === true;
  return {
    args: [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      ...(asks ? ['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'] : []),
      ...(run.model === null ? [] : ['--model', run.model]),
      ...(run.loadsProject === true ? [] : ['--setting-sources', '', '--strict-mcp-config']),
      '--settings',
      JSON.stringify({ permissions: permissionsOf(run) }),
      `--disallowedTools=${SUB_AGENTS}`,
      ...(run.budgetUsd === undefined ? [] : ['--max-budget-usd', String(run.budgetUsd)]),
      ...(run.resume === undefined ? [] : ['--resume', run.resume]),
      ...run.extraArgs,
    ],
    // No CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: it makes the program's own sandbox obligatory, which cannot start inside ours,
    // and without a bwrap the program does not start at all.
    env: {
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Ten retries let a bad key wait for three minutes.
      CLAUDE_CODE_MAX_RETRIES: '2',
    },
    stdin: asks ? claudePromptLine(run.prompt) : run.prompt,
  };
}

/** As JSON, because the separators of the option that takes the same rules can stand in a path. */
function permissionsOf(run: AdapterRun): { readonly allow: readonly string[] } {
  // Its rules for Edit hold for every tool that writes files.
  const edits = writableFolders(run).map((path) => `Edit(${rulePath(path)}/**)`);
  return { allow: ['Read', 'Glob', 'Grep', ...edits, ...(run.isSandboxed === true ? ['Bash'] : [])] };
}

/** Two slashes begin an absolute path in a rule; a drive is its first folder. */
function rulePath(path: string): string {
  const drive = /^([A-Za-z]):\\(.*)$/.exec(path);
  return drive === null ? `/${path}` : `//${(drive[1] ?? '').toLowerCase()}/${(drive[2] ?? '').replaceAll('\\', '/')}`;
}
