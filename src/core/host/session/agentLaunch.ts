import { createHash } from 'node:crypto';
import { fail, ok, type Result } from '../../base/result';
import type { AgentConfig, SessionConfig } from '../../protocol/config/configModel';
import type { EngineCommand, KeeperSpec } from '../../protocol/keeper/keeperSpec';
import type { MailboxOrder } from '../../protocol/keeper/mail';
import { formatTimestamp } from '../../protocol/workers/timestamp';
import type { AgentPaths } from '../../mailbox/sessionPaths';
import type { AgentLaunch, StartProblem } from '../../supervisor/agentKeeperDeps';
import { agentPolicy, type AgentRules } from '../../supervisor/agentPolicy';
import { compatibleEndpointOf, privateEndpointOf } from '../../system/agentEndpoint';
import { allowListedEnv } from '../../system/cleanEnv';
import { secretValuesOf } from '../../system/redact';
import { confinedPath } from '../../system/safePath';
import type { Git } from '../../worktrees/git';
import { ensureWorktree, worktreeTrouble } from '../../worktrees/worktreeStore';
import type { CallerEnv, HostContext } from '../hostContext';
import { keeperSettings } from '../keeperSettings';
import { engineAgentCommand } from './engineAgentCommand';

/** An agent that cannot connect gives up after up to 34 s (actors.md §6), milliseconds. */
const CONNECT_MS = 40_000;
const MEGABYTE = 1024 * 1024;

/** What a launch is made of. */
export interface LaunchOrder {
  /** Null for an agent that a person starts by hand and the configuration does not know. */
  readonly config: AgentConfig | null;
  readonly agent: string;
  readonly byHand: boolean;
  /** False where agents take turns by files (actors.md §7). */
  readonly mustConnect: boolean;
  /** The agents of the session. */
  readonly others: readonly string[];
  readonly session: SessionConfig;
  readonly paths: AgentPaths;
  readonly env: CallerEnv;
  readonly epoch: number;
}

/** The keeper's spec and the numbers for a start of this agent, or why it cannot be started. Makes nothing but its worktree. */
export async function planAgentLaunch(
  order: LaunchOrder,
  host: HostContext,
): Promise<Result<AgentLaunch, StartProblem>> {
  const command = order.byHand ? ok(nothingToRun(host.root)) : await commandOf(order, host);
  if (!command.ok) {
    return command;
  }
  const nonce = host.randomHex(16);
  const rules = rulesOf(order, host);
  const spec: KeeperSpec = {
    ...commonSpec(order, host),
    nonce,
    startedAt: formatTimestamp(host.clock.now()),
    command: command.value,
    secrets: [tokenOf(nonce), ...secretValuesOf(command.value.env)],
    adopt: null,
    mailbox: mailboxOf(order, nonce, host),
  };
  return ok({ spec, policy: agentPolicy(rules) });
}

/** The part of a spec that is the same for a start and for taking over what a dead keeper left. */
export function commonSpec(
  { agent, config, paths, epoch }: LaunchOrder,
  host: HostContext,
): Omit<KeeperSpec, 'nonce' | 'startedAt' | 'command' | 'secrets' | 'adopt'> {
  const settings = keeperSettings(host);
  const { minutes = null, memoryMB = null, outputMB = null } = config?.limits ?? {};
  const bytes = outputMB === null ? null : Math.ceil(outputMB * MEGABYTE);
  return {
    v: 1,
    ...settings,
    graceMs: graceOf(config, settings.graceMs),
    limits: bytes === null ? settings.limits : { ...settings.limits, rawBytes: bytes, logBytes: bytes },
    fuses: { minutes, memoryMB },
    workerId: agent,
    type: 'agent',
    folder: paths.folder,
    epoch,
  };
}

/** The mailbox that the keeper with this nonce hosts. */
export function mailboxOf(order: LaunchOrder, nonce: string, { runtimeDir }: HostContext): MailboxOrder {
  const { agent, session, paths, byHand, env } = order;
  return {
    agent,
    privateEndpoint: privateEndpointOf(runtimeDir, paths.folder),
    token: tokenOf(nonce),
    compatibleEndpoint: session.compatiblePipeNames ? compatibleEndpointOf(agent, tempDirIn(env)) : null,
    connectMs: connectMsOf(order),
    logFile: paths.logFile,
    ...(byHand ? { byHand } : {}),
  };
}

/** How an agent is supervised; what the file leaves out is as in actors.md §6. */
export function rulesOf(order: LaunchOrder, host: HostContext): AgentRules {
  const { config, byHand } = order;
  const { graceMs, termGraceMs } = keeperSettings(host);
  const { max = null, backoffSeconds = null, resetAfterMinutes = null } = config?.restart ?? {};
  return {
    maxRestarts: byHand ? 0 : max,
    backoffSeconds,
    resetAfterMinutes,
    connectMs: connectMsOf(order),
    graceMs: graceOf(config, graceMs),
    termGraceMs,
  };
}

function connectMsOf({ byHand, mustConnect }: LaunchOrder): number | null {
  return byHand || !mustConnect ? null : CONNECT_MS;
}

function graceOf(config: AgentConfig | null, usual: number): number {
  const seconds = config?.graceSeconds ?? null;
  return seconds === null ? usual : seconds * 1000;
}

/** Known to whoever knows the nonce, and from it nobody gets the nonce: the agent must not control its keeper. */
function tokenOf(nonce: string): string {
  return createHash('sha256').update(`agent\0${nonce}`).digest('hex');
}

function tempDirIn(env: CallerEnv): string {
  const { TMPDIR = '' } = env;
  return TMPDIR === '' ? '/tmp' : TMPDIR;
}

function nothingToRun(root: string): EngineCommand {
  return { command: 'none', args: [], env: {}, cwd: root, stdin: null };
}

/** The command comes from the configuration alone: nothing that a model wrote is ever a part of it (actors.md §6). */
async function commandOf(order: LaunchOrder, host: HostContext): Promise<Result<EngineCommand, StartProblem>> {
  const { agent, config, env, paths, others, mustConnect } = order;
  if (config === null) {
    return fail({ cause: 'config', text: `No agent is called ${agent}. Add agents.${agent} to .vscode/workers.json.` });
  }
  const cwd = await workingFolderOf(config, host);
  if (!cwd.ok) {
    return fail({ cause: 'config', text: cwd.error });
  }
  const [command, ...args] = config.command ?? [];
  if (command !== undefined) {
    return ok({ command, args, env: allowListedEnv(env, config.env), cwd: cwd.value, stdin: null });
  }
  const engine = { config, cwd: cwd.value, paths, env, others, takesTurns: !mustConnect, call: null };
  const ours = await engineAgentCommand(engine, host);
  return ours.ok ? ours : fail({ cause: 'config', text: ours.error });
}

/** Where the agent works: the project, its worktree, which is made where it lacks, or a folder in one of them. */
export async function workingFolderOf(
  { name, isolation, cwd }: AgentConfig,
  { root, git }: Pick<HostContext, 'root' | 'git'>,
): Promise<Result<string, string>> {
  const place = isolation === 'worktree' ? await worktreeFor(git, name) : ok(root);
  if (!place.ok || cwd === null) {
    return place;
  }
  const confined = await confinedPath(place.value, cwd);
  return confined.ok ? confined : fail(`${confined.error} Correct agents.${name}.cwd in .vscode/workers.json.`);
}

/** Its own, with what it left there before. */
async function worktreeFor(git: Git, agent: string): Promise<Result<string, string>> {
  const trouble = await worktreeTrouble(git);
  const placed = trouble === null ? await ensureWorktree(git, agent) : fail(trouble);
  return placed.ok ? ok(placed.value.cwd) : placed;
}
