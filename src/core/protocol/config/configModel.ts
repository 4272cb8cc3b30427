import type { WorkerType } from '../workers/workerType';

/** What can run a worker from a template (config.md). */
export const sharedEngineNames = ['auto', 'builtin', 'claude', 'codex', 'opencode', 'gemini', 'copilot'] as const;

/** What runs a worker (config.md). */
export const engineNames = [...sharedEngineNames, 'command'] as const;
export type EngineName = (typeof engineNames)[number];

/** How far a worker is kept from what it may not write. */
export const isolationNames = ['auto', 'audit', 'sandbox', 'worktree', 'container'] as const;
export type IsolationName = (typeof isolationNames)[number];

/** Which failed workers are tried again without being asked. */
export const automaticRetries = ['transient', 'never', 'always'] as const;
export type AutomaticRetry = (typeof automaticRetries)[number];

export interface RetryConfig {
  readonly automatic: AutomaticRetry;
  /** Retries per original request; the protocol ends at 2. */
  readonly max: number;
}

/** Fuses of one worker; null leaves a fuse at its built-in value or off. */
export interface LimitsConfig {
  readonly minutes: number | null;
  readonly outputMB: number | null;
  readonly memoryMB: number | null;
  readonly costUsd: number | null;
}

/** Fuses of the whole project. */
export interface ProjectLimitsConfig {
  /** Of all logs together; null leaves the built-in value. */
  readonly totalLogsMB: number | null;
}

export interface DefaultsConfig {
  readonly engine: EngineName;
  readonly isolation: IsolationName;
  readonly retry: RetryConfig;
  readonly graceSeconds: number | null;
  readonly limits: LimitsConfig;
  readonly env: Readonly<Record<string, string>>;
}

/** How a type runs, `defaults` already under it. */
export interface RunConfig extends DefaultsConfig {
  /** Cron expression, or null. */
  readonly schedule: string | null;
  readonly image: string | null;
}

/** A type of one's own. */
export type OwnWorkerType = WorkerType & RunConfig;

/** How the file wants a type of the protocol to run; what the type is belongs to the protocol. */
export interface TypeOverride extends RunConfig {
  readonly name: string;
}

export interface AgentRestartConfig {
  readonly max: number | null;
  readonly backoffSeconds: readonly number[] | null;
  readonly resetAfterMinutes: number | null;
}

/** An agent of a session: a command, or an engine with a prompt. */
export interface AgentConfig {
  readonly name: string;
  readonly command: readonly string[] | null;
  /** What runs the agent itself. */
  readonly engine: EngineName;
  /** What carries out its CLIInvoke (actors.md §4): the engine that stands beside its command; null: nothing does. */
  readonly callEngine: EngineName | null;
  readonly prompt: string | null;
  /** `none` where no model is named. */
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  /** Project-relative; null is the project root. */
  readonly cwd: string | null;
  /** `demand`: at its first WorkAssign. */
  readonly start: 'session' | 'demand';
  readonly isolation: IsolationName;
  readonly restart: AgentRestartConfig;
  readonly graceSeconds: number | null;
  readonly limits: LimitsConfig;
}

export interface SessionConfig {
  readonly dir: string;
  readonly mode: 'event-driven' | 'sequential';
  readonly compatiblePipeNames: boolean;
  readonly maxIterations: number | null;
}

/** Both triggers only suggest; null or false switches one off (workers.md §6). */
export interface TriggersConfig {
  readonly consolidateAfterCases: number | null;
  readonly healthCheckAfterBtoTest: boolean;
}

export interface FeaturesConfig {
  readonly taskHomes: readonly string[];
  readonly lateSeconds: number | null;
  readonly staleSeconds: number | null;
  readonly silentSeconds: number | null;
}

/** `.vscode/workers.json`, complete: what the file leaves out has its default. */
export interface WorkersConfig {
  /** For a registry that we create; null where the file says nothing. */
  readonly maxConcurrent: number | null;
  readonly limits: ProjectLimitsConfig;
  readonly defaults: DefaultsConfig;
  /** The types of the file's author, in the order of the file. */
  readonly types: readonly OwnWorkerType[];
  readonly overrides: readonly TypeOverride[];
  readonly agents: readonly AgentConfig[];
  readonly session: SessionConfig;
  readonly triggers: TriggersConfig;
  readonly features: FeaturesConfig;
}

/** One fault of the file. `path` is dotted, e.g. `types.audit.command`; `line` and `column` count from 1. */
export interface ConfigDiagnostic {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}
