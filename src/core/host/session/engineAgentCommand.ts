import { dirname, join } from 'node:path';
import { fail, ok, type Result } from '../../base/result';
import { engineAdapters } from '../../engines/engineAdapters';
import type { EngineAgentJob, EngineCall } from '../../engines/engineAgentJob';
import { noEngineSettings } from '../../engines/modelEngine';
import type { AgentPaths } from '../../mailbox/sessionPaths';
import type { AgentConfig } from '../../protocol/config/configModel';
import type { EngineCommand } from '../../protocol/keeper/keeperSpec';
import { allowListedEnv } from '../../system/cleanEnv';
import type { CallerEnv, HostContext } from '../hostContext';
import { inheritedEnv } from '../inheritedEnv';

export interface EngineAgentOrder {
  /** With the engine that is to run. */
  readonly config: AgentConfig;
  /** Where the engine works: the project, the agent's worktree, or a folder in one of them. */
  readonly cwd: string;
  readonly paths: AgentPaths;
  readonly env: CallerEnv;
  readonly others: readonly string[];
  readonly takesTurns: boolean;
  /** What is to be carried out instead of being the agent, or null. */
  readonly call: EngineCall | null;
}

/** The program of an agent on an engine: ours, which is told on its stdin what to run (engines.md). Makes nothing. */
export async function engineAgentCommand(
  { config, cwd, paths, env, others, takesTurns, call }: EngineAgentOrder,
  { engines, program }: Pick<HostContext, 'engines' | 'program'>,
): Promise<Result<EngineCommand, string>> {
  const found = await engines.findingForAgent(config, { ...env, ...config.env });
  if (!found.ok) {
    return fail(`${found.error} Or correct agents.${config.name}.engine in .vscode/workers.json.`);
  }
  const { name: engine, path } = found.value;
  const adapter = engineAdapters.find(({ name }) => name === engine);
  const job: EngineAgentJob = {
    agent: config.name,
    engine,
    program: path,
    settings: engines.settings.engines[engine] ?? noEngineSettings,
    model: config.model,
    prompt: config.prompt,
    root: cwd,
    folder: paths.folder,
    hasWorktree: config.isolation === 'worktree',
    budgetUsd: config.limits.costUsd,
    others,
    takesTurns,
    call,
  };
  return ok({
    command: program.nodePath,
    args: [join(dirname(program.keeperScript), 'engine-agent.js')],
    // For VS Code's own binary.
    env: {
      ...allowListedEnv(env, { ...inheritedEnv(env, adapter?.inherits), ...config.env }),
      ELECTRON_RUN_AS_NODE: '1',
    },
    cwd,
    stdin: JSON.stringify(job),
  });
}
