import { fail, ok, type Result } from '../../base/result';
import type { EngineCall } from '../../engines/engineAgentJob';
import type { CallFolder } from '../../mailbox/callFolder';
import { readCliInvoke } from '../../protocol/actors/cliInvoke';
import type { Message } from '../../protocol/actors/message';
import type { AgentConfig } from '../../protocol/config/configModel';
import type { EngineCommand, KeeperSpec } from '../../protocol/keeper/keeperSpec';
import { formatTimestamp } from '../../protocol/workers/timestamp';
import { secretValuesOf } from '../../system/redact';
import type { HostContext } from '../hostContext';
import { keeperSettings } from '../keeperSettings';
import { type LaunchOrder, workingFolderOf } from './agentLaunch';
import { engineAgentCommand } from './engineAgentCommand';

/** What keepers and records call a call. */
export const CALL_TYPE = 'call';

/** One call and what it is to be started with. */
export interface CallOrder {
  readonly message: Message;
  /** The agent as it would be launched now. */
  readonly launch: LaunchOrder;
  readonly sessionDir: string;
  readonly place: CallFolder;
  readonly nonce: string;
  /** What is left of its time, milliseconds. */
  readonly leftMs: number;
}

/**
 * The spec of the keeper that has a call carried out (actors.md §4), or why nothing can: a sentence that ends in what to
 * do. Makes nothing but the agent's worktree.
 */
export async function planCall(order: CallOrder, host: HostContext): Promise<Result<KeeperSpec, string>> {
  const { config } = order.launch;
  if (config === null || config.callEngine === null) {
    return fail(noEngineText(order.message.from, config));
  }
  const engine = config.callEngine;
  const command = await commandOf(order, { ...config, engine }, host);
  return command.ok ? ok(specOf(order, command.value, host)) : command;
}

async function commandOf(
  { message, launch, sessionDir, place }: CallOrder,
  config: AgentConfig,
  host: HostContext,
): Promise<Result<EngineCommand, string>> {
  const cwd = await workingFolderOf(config, host);
  if (!cwd.ok) {
    return cwd;
  }
  const files = readCliInvoke(message, { cwd: cwd.value, sessionDir });
  if (!files.ok) {
    return files;
  }
  const { env, others, paths } = launch;
  const call: EngineCall = { ...files.value, sessionDir, agentFolder: paths.folder };
  // Each call is a session of its own, which lies with the rest of it.
  const own = { ...paths, folder: place.folder };
  return await engineAgentCommand({ config, cwd: cwd.value, paths: own, env, others, takesTurns: false, call }, host);
}

function specOf({ launch, place, nonce, leftMs }: CallOrder, command: EngineCommand, host: HostContext): KeeperSpec {
  return {
    v: 1,
    ...keeperSettings(host),
    fuses: { minutes: leftMs / 60_000, memoryMB: launch.config?.limits.memoryMB ?? null },
    workerId: place.name,
    type: CALL_TYPE,
    folder: place.folder,
    epoch: launch.epoch,
    nonce,
    startedAt: formatTimestamp(host.clock.now()),
    command,
    secrets: secretValuesOf(command.env),
    adopt: null,
  };
}

function noEngineText(agent: string, config: AgentConfig | null): string {
  return config === null
    ? `No engine is set up that could run this. Add agents.${agent} with an engine to .vscode/workers.json.`
    : `No engine is set up that could run this. Name one as agents.${agent}.engine in .vscode/workers.json, beside its command.`;
}
