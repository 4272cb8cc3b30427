import { join } from 'node:path';
import type { AdapterCommand, AdapterRun, EngineAdapter } from './engineAdapter';

/** GitHub Copilot CLI, by its documentation: it was not run here. */
export const copilot: EngineAdapter = {
  name: 'copilot',
  isExperimental: true,
  program: 'copilot',
  models: { haiku: null, sonnet: null, opus: null },
  inherits: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'XDG_CONFIG_HOME'],
  loginVariables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  loginStatusArgs: null,
  // It is in the system's store of keys.
  loginFiles: () => [],
  loginCommand: 'copilot login',
  installCommand: 'npm install -g @github/copilot',
  hosts: ['api.githubcopilot.com', 'api.github.com', 'github.com'],
  addressVariables: [],
  stateFolders: (_env, home) => [join(home, '.copilot')],
  protectedState: (_env, home) =>
    ['config.json', 'mcp-config.json', 'hooks', 'agents'].map((name) => join(home, '.copilot', name)),
  scrubVariable: null,
  runsUnasked: [],
  commandOf,
  orderOf: () => ({
    stream: 'copilot',
    interrupt: { signal: 'SIGINT', group: false },
    control: false,
    rollouts: null,
    leavings: [],
  }),
  openArgs: (sessionId) => ['--resume', sessionId],
};

function commandOf(run: AdapterRun): AdapterCommand {
  return {
    args: [
      '--output-format',
      'json',
      '--no-color',
      '--no-auto-update',
      '--no-ask-user',
      ...(run.isSandboxed === true ? ['--allow-all-tools'] : ['--allow-tool', 'write']),
      ...(run.loadsProject === true ? [] : ['--no-custom-instructions', '--disable-builtin-mcps']),
      ...(run.model === null ? [] : ['--model', run.model]),
      ...(run.resume === undefined ? [] : ['--resume', run.resume]),
      ...run.extraArgs,
    ],
    env: {},
    stdin: run.prompt,
  };
}
