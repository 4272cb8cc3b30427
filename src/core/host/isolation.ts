import { existsSync } from 'node:fs';
import { fail, ok } from '../base/result';
import type { EngineSandbox } from '../engines/engineSandbox';
import { type SandboxProgram, sandboxed } from '../engines/isolation/sandboxed';
import type { IsolationOrder } from '../protocol/keeper/isolationOrder';
import type { IsolationLevel } from '../protocol/keeper/isolationRecord';
import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { WorkerType } from '../protocol/workers/workerType';
import { canonicalPath } from '../system/canonicalPath';
import { confinedPath } from '../system/safePath';
import { sandboxBoxOf } from '../system/sandboxBox';
import type { Git } from '../worktrees/git';
import { worktreeTrouble } from '../worktrees/worktreeStore';
import type { Outcome, Refusal, StartRequest } from './api';
import { type ContainerMeans, type ContainerPlan, containerOrder, planContainer } from './containerPlan';
import type { CallerEnv } from './hostContext';

/** What this machine can do to isolate a worker. */
export interface IsolationMeans {
  readonly program: SandboxProgram;
  /** Why no sandbox works with this PATH, as part of a sentence, or null; asked once per process and PATH. */
  readonly trouble: (path: string) => Promise<string | null>;
  readonly containers: ContainerMeans;
}

/** How a worker that is about to start will be isolated. */
export interface IsolationPlan {
  readonly level: IsolationLevel;
  /** Why it is less than was hoped for, or null. */
  readonly note: string | null;
  /** Absolute paths, without links, that the type may write beside its own folder. */
  readonly mayWrite: readonly string[];
  /** Only for the level `container`. */
  readonly container?: ContainerPlan;
}

export interface IsolationQuestion {
  readonly type: WorkerType;
  readonly request: StartRequest;
  readonly root: string;
  readonly env: CallerEnv;
  /** The same before the allow-list. */
  readonly callerEnv: CallerEnv;
  /** The type's limit. */
  readonly memoryMB: number | null;
  readonly means: IsolationMeans;
  readonly git: Git;
  /** Name of the engine that will run it. */
  readonly engine: string;
}

/**
 * Decides how a worker is isolated (engines.md, "Isolation"): `auto` takes the sandbox where one works, else the audit
 * with a note. What was asked for by name and cannot be had is a refusal that says what to do.
 */
export async function planIsolation(question: IsolationQuestion): Promise<Outcome<IsolationPlan>> {
  const { type, request, root } = question;
  const wanted = request.isolation ?? type.isolation ?? 'auto';
  const paths = await writablePaths(type, root);
  if (!paths.ok) {
    return paths;
  }
  const mayWrite = paths.value;
  switch (wanted) {
    case 'audit':
      return ok({ level: 'audit', note: null, mayWrite });
    case 'worktree':
      return await planWorktree(question, mayWrite);
    case 'container':
      return await planContained(question, mayWrite);
    case 'auto':
    case 'sandbox':
      return await planSandbox(question, wanted, mayWrite);
  }
}

async function planWorktree(
  { type, engine, git }: IsolationQuestion,
  mayWrite: readonly string[],
): Promise<Outcome<IsolationPlan>> {
  const trouble = engine === 'builtin' ? builtinText(type.name) : await worktreeTrouble(git);
  return trouble === null ? ok({ level: 'worktree', note: null, mayWrite }) : refuse(trouble);
}

async function planContained(
  { type, callerEnv, memoryMB, means }: IsolationQuestion,
  mayWrite: readonly string[],
): Promise<Outcome<IsolationPlan>> {
  const container = await planContainer({ type, callerEnv, memoryMB, means: means.containers });
  return container.ok
    ? ok({ level: 'container', note: null, mayWrite, container: container.value })
    : refuse(container.error);
}

async function planSandbox(
  { type, root, env, means }: IsolationQuestion,
  wanted: 'auto' | 'sandbox',
  mayWrite: readonly string[],
): Promise<Outcome<IsolationPlan>> {
  const trouble = patternTrouble(root) ?? (await means.trouble(env['PATH'] ?? ''));
  if (trouble === null) {
    return ok({ level: 'sandbox', note: null, mayWrite });
  }
  return wanted === 'sandbox'
    ? refuse(`Worker type ${type.name} must run in a sandbox, and none works here: ${trouble}.`)
    : ok({ level: 'audit', note: `no sandbox works here: ${trouble}`, mayWrite });
}

/** The sandbox program takes these characters for patterns, so it would let the worker write nowhere. */
function patternTrouble(root: string): string | null {
  return /[*?[\]]/.test(root) ? 'the path of this project contains one of the characters * ? [ ]' : null;
}

export interface IsolationDraft {
  readonly plan: IsolationPlan;
  readonly command: EngineCommand;
  readonly root: string;
  /** The worker's own folder. */
  readonly folder: string;
  readonly runtimeDir: string;
  readonly program: SandboxProgram;
  readonly type: WorkerType;
  readonly workerId: string;
  /** What a program that asks a model needs; absent for the others. */
  readonly engine?: EngineSandbox;
}

/** The plan as an order to the keeper, once the worker has its folder. */
export async function isolationOrder(draft: IsolationDraft): Promise<IsolationOrder> {
  const { plan, command, runtimeDir, program, type, workerId } = draft;
  const { level, note, mayWrite } = plan;
  if (level === 'audit' || level === 'worktree') {
    return { level, note };
  }
  const [root, folder] = await Promise.all([canonicalPath(draft.root), canonicalPath(draft.folder)]);
  if (plan.container !== undefined) {
    const { name, env } = type;
    const order = {
      plan: plan.container,
      command,
      env,
      type: name,
      workerId,
      namedRoot: draft.root,
      root,
      folder,
      mayWrite,
    };
    return { level: 'container', note, container: containerOrder(order) };
  }
  return sandboxed(command, {
    program,
    box: sandboxBoxOf(runtimeDir, draft.folder),
    root,
    folder,
    mayWrite,
    home: command.env['HOME'] ?? null,
    // The builtin engine and people's own commands get no network.
    hosts: [],
    ...(draft.engine === undefined ? {} : { engine: withoutMissing(draft.engine) }),
  });
}

/** Over a file that is not there the sandbox would lay an unreadable one, and the program stumbles over that. */
function withoutMissing(engine: EngineSandbox): EngineSandbox {
  return { ...engine, protects: engine.protects.filter((path) => existsSync(path)) };
}

async function writablePaths(type: WorkerType, root: string): Promise<Outcome<readonly string[]>> {
  const paths: string[] = [];
  for (const relative of type.mayWrite) {
    const path = await confinedPath(root, relative);
    if (!path.ok) {
      return refuse(`What worker type ${type.name} may write is refused. ${path.error} Correct its mayWrite.`);
    }
    paths.push(await canonicalPath(path.value));
  }
  return ok(paths);
}

function builtinText(type: string): string {
  return `Worker type ${type} runs on the builtin engine, which edits no code and needs no worktree. Choose auto, sandbox or audit.`;
}

function refuse(message: string): { readonly ok: false; readonly error: Refusal } {
  return fail({ code: 'isolation', message });
}
