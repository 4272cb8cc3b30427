import { join } from 'node:path';
import type { AdapterCommand, AdapterRun, EngineAdapter } from './engineAdapter';

/** Gemini CLI, by its documentation: it was not run here. */
export const gemini: EngineAdapter = {
  name: 'gemini',
  isExperimental: true,
  program: 'gemini',
  models: { haiku: null, sonnet: null, opus: null },
  inherits: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_CLOUD_PROJECT'],
  loginVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  loginStatusArgs: null,
  loginFiles: (_env, home) => [join(home, '.gemini', 'oauth_creds.json')],
  loginCommand: 'gemini',
  installCommand: 'npm install -g @google/gemini-cli',
  hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
  addressVariables: ['GOOGLE_GEMINI_BASE_URL'],
  stateFolders: (_env, home) => [join(home, '.gemini')],
  protectedState: (_env, home) =>
    ['settings.json', 'GEMINI.md', 'commands', 'extensions'].map((name) => join(home, '.gemini', name)),
  scrubVariable: null,
  runsUnasked: [],
  commandOf,
  orderOf: () => ({
    stream: 'gemini',
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
      'stream-json',
      '--approval-mode',
      run.isSandboxed === true ? 'yolo' : 'auto_edit',
      // A folder that is not trusted loads no settings of the project; a person's own choice of trust stands.
      ...(run.loadsProject === true ? [] : ['--extensions', 'none']),
      ...(run.model === null ? [] : ['--model', run.model]),
      ...(run.resume === undefined ? [] : ['--resume', run.resume]),
      ...run.extraArgs,
      '--prompt',
      'Do the task that stands above.',
    ],
    env: { GEMINI_TELEMETRY_ENABLED: 'false' },
    stdin: run.prompt,
  };
}
