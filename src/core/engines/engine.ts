import type { EngineSandbox } from './engineSandbox';
import type { EngineOrder } from '../protocol/engines/engineOrder';
import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { WorkerType } from '../protocol/workers/workerType';

/** What an engine may know when it builds a command. All paths are absolute. */
export interface EngineRequest {
  readonly type: WorkerType;
  readonly workerId: string;
  readonly root: string;
  readonly folder: string;
  /** The filled template with its header, or null for types without one. */
  readonly prompt: string | null;
  /** The allow-listed environment of the caller with the configured additions. */
  readonly env: Readonly<Record<string, string>>;
  /** The engine's session to go on with; absent: a new one. */
  readonly resume?: string;
  /** Our sandbox stands around the run, so that it may use every tool. Absent: it does not. */
  readonly isSandboxed?: boolean;
  /** `root` is a git worktree of its own, all of which it may edit; its folder lies elsewhere. Absent: it is the project. */
  readonly hasWorktree?: boolean;
  /** Somebody answers permission requests and questions. Absent: what is not allowed is denied. */
  readonly mayAsk?: boolean;
  /** What it may spend, US dollars, where it can hold to that itself. Absent: as much as it needs. */
  readonly budgetUsd?: number;
  /** Session agents load the settings, commands and notes of the project; background workers do not (config.md). */
  readonly loadsProject?: boolean;
}

/** Turns a request into one command as data (engines.md); runs nothing itself. */
export interface Engine {
  readonly name: string;
  /** Grace between the polite stop request and SIGTERM, milliseconds (workers.md §4.5). */
  readonly graceMs: number;
  commandOf(request: EngineRequest): EngineCommand;
  /** Variables of the caller that it needs beside the allow-list; absent: none. */
  readonly inherits?: readonly string[];
  /** What the keeper must know of a program that asks a model; absent for engines that ask none. */
  readonly orderOf?: (request: EngineRequest) => EngineOrder;
  /** What such a program needs from our sandbox. */
  readonly sandboxOf?: (request: EngineRequest) => EngineSandbox;
  /** The argument vector that opens a session in the program's own terminal UI, from the project's root. */
  readonly openCommandOf?: (sessionId: string) => readonly string[];
}
