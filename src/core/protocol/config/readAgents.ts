import type * as z from 'zod/mini';
import { isAgentName, isReservedName } from '../actors/agentName';
import type { AgentConfig, AgentRestartConfig, DefaultsConfig } from './configModel';
import { agentShape, agentsShape } from './configShapes';
import type { ConfigSource } from './configSource';
import { withDefaults } from './withDefaults';

const noRestart: AgentRestartConfig = { max: null, backoffSeconds: null, resetAfterMinutes: null };

/** Reads `agents`. A faulty one is left out and reported. */
export function readAgents(source: ConfigSource, defaults: DefaultsConfig): readonly AgentConfig[] {
  source.read(['agents'], agentsShape, 'leave out the whole');
  return source.keysAt(['agents']).flatMap((name) => readAgent(source, name, defaults));
}

function readAgent(source: ConfigSource, name: string, defaults: DefaultsConfig): readonly AgentConfig[] {
  const path = ['agents', name];
  const problem = nameProblem(name);
  if (problem !== null) {
    source.reportKey(path, problem);
    return [];
  }
  const raw = source.read(path, agentShape, 'leave out the whole');
  if (raw === null) {
    return [];
  }
  const { command, engine } = raw;
  if (command === undefined && (engine === undefined || engine === 'command')) {
    source.reportKey(path, 'needs a command, or an engine with a prompt');
    return [];
  }
  if (command !== undefined && engine === 'builtin') {
    source.report([...path, 'engine'], 'cannot be builtin beside a command: it asks no model');
    return [];
  }
  if (raw.isolation === 'container') {
    source.report([...path, 'isolation'], 'cannot be container: a session agent must reach its pipe on this machine');
    return [];
  }
  return [agentOf(name, raw, defaults)];
}

function nameProblem(name: string): string | null {
  if (isReservedName(name)) {
    return 'is a name that means somebody else; take another one';
  }
  return isAgentName(name)
    ? null
    : 'must be named with small letters, digits and -, beginning with a letter, at most 64 of them';
}

function agentOf(name: string, raw: z.infer<typeof agentShape>, defaults: DefaultsConfig): AgentConfig {
  const { command = null, prompt = null, model = 'none', cwd = null, start = 'demand' } = raw;
  return {
    name,
    command,
    ...enginesOf(raw, defaults),
    prompt,
    model,
    env: { ...defaults.env, ...raw.env },
    cwd,
    start,
    isolation: raw.isolation ?? defaults.isolation,
    restart: withDefaults(noRestart, raw.restart ?? null),
    graceSeconds: raw.graceSeconds ?? defaults.graceSeconds,
    limits: withDefaults(defaults.limits, raw.limits ?? null),
  };
}

function enginesOf(
  { command, engine }: z.infer<typeof agentShape>,
  defaults: DefaultsConfig,
): Pick<AgentConfig, 'engine' | 'callEngine'> {
  return {
    engine: command === undefined ? (engine ?? defaults.engine) : 'command',
    callEngine: engine === undefined || engine === 'command' ? null : engine,
  };
}
