import { join } from 'node:path';
import { errorText } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';
import type { EngineSandbox } from '../engines/engineSandbox';
import type { Engine, EngineRequest } from '../engines/engine';
import type { KeeperSpec } from '../protocol/keeper/keeperSpec';
import { limitsOf } from '../protocol/config/limitsOf';
import { formatStatusDocument } from '../protocol/workers/formatStatusDocument';
import { addendumFileOf, goOnPrompt, promptFor, type PromptParts, withAddendum } from '../protocol/workers/template';
import { formatTimestamp } from '../protocol/workers/timestamp';
import { outputDirOf } from '../protocol/workers/workerId';
import { missingTemplateText, startedText, unknownTypeText } from '../protocol/workers/workerTexts';
import type { WorkerType } from '../protocol/workers/workerType';
import { type ClaimedFolder, removeClaim } from '../registry/claimFolder';
import { findTemplate } from '../registry/templates';
import type { Supervisor } from '../supervisor/supervisor';
import { createExclusive } from '../system/atomicFile';
import { allowListedEnv } from '../system/cleanEnv';
import { secretValuesOf } from '../system/redact';
import { ensureWorktree } from '../worktrees/worktreeStore';
import type { Outcome, Refusal, StartedWorker, StartRequest } from './api';
import { admitStart } from './admitStart';
import type { StartOrder } from './enterRegistry';
import { fuseSettings } from './fuseSettings';
import { keptEngineOrder } from './keptEngineOrder';
import type { CallerEnv, HostContext } from './hostContext';
import { inheritedEnv } from './inheritedEnv';
import { type IsolationPlan, isolationOrder, planIsolation } from './isolation';
import { keeperSettings } from './keeperSettings';
import type { LoadedTypes } from './typeCatalog';

/** Everything that was checked before anything is made. */
export interface StartPlan {
  readonly type: WorkerType;
  readonly engine: Engine;
  /** The template's text, null for types without one. */
  readonly template: string | null;
  readonly loaded: LoadedTypes;
}

export interface StartContext {
  readonly host: HostContext;
  readonly supervisor: Supervisor;
  readonly epoch: number;
  readonly env: CallerEnv;
}

/**
 * The launch protocol in its order (workers.md §4.2): validate, read the template, make the folder, enter `starting`,
 * spawn. A refusal before the spawn leaves nothing behind; a failed spawn leaves a `failed` entry with its error.log.
 */
export async function startWorker(order: StartOrder, context: StartContext): Promise<Outcome<StartedWorker>> {
  const { request } = order;
  const plan = await planStart(request, context.host, context.env);
  if (!plan.ok) {
    return plan;
  }
  const isolation = await isolationFor(plan.value, request, context);
  if (!isolation.ok) {
    return isolation;
  }
  const claimed = await admitStart(plan.value.type, order, context.host);
  return claimed.ok
    ? await spawn({ ...plan.value, isolation: isolation.value }, claimed.value, request, context)
    : claimed;
}

/** How the planned worker is to be isolated; makes nothing. */
export async function isolationFor(
  { type, loaded, engine }: StartPlan,
  request: StartRequest,
  { host, env }: Pick<StartContext, 'host' | 'env'>,
): Promise<Outcome<IsolationPlan>> {
  return await planIsolation({
    type,
    request,
    root: host.root,
    env: environmentFor(type, loaded, env, engine),
    callerEnv: env,
    memoryMB: limitsOf(type.name, loaded.config).memoryMB,
    means: host.isolation,
    git: host.git,
    engine: engine.name,
  });
}

/** What the worker's program gets: the allow-list, what its engine needs of the caller's, and what is configured. */
function environmentFor(
  type: WorkerType,
  { config }: LoadedTypes,
  env: CallerEnv,
  { inherits }: Pick<Engine, 'inherits'>,
): Record<string, string> {
  return allowListedEnv(env, { ...inheritedEnv(env, inherits), ...config.defaults.env, ...type.env });
}

/** What a start is validated against. */
type PlanContext = Pick<HostContext, 'trusted' | 'refused' | 'types' | 'engines' | 'root' | 'ownTemplatesDir'>;

/** Validates a start without making anything: trust, type, template, engine. `env` is that of whoever asks. */
export async function planStart(request: StartRequest, host: PlanContext, env: CallerEnv): Promise<Outcome<StartPlan>> {
  if (!host.trusted) {
    return refuse('untrusted', 'Nothing is started in an untrusted workspace. Trust this workspace first.');
  }
  if (host.refused !== null) {
    return refuse('unsafe-root', host.refused);
  }
  const loaded = await host.types.load();
  const known = loaded.types.find((candidate) => candidate.name === request.type);
  if (known === undefined) {
    return refuse('unknown-type', unknownTypeText(request.type, loaded.types));
  }
  const type = { ...known, engine: request.engine ?? known.engine };
  const template = await readTemplate(type, host);
  if (!template.ok) {
    return template;
  }
  const engine = await host.engines.engineFor(type, { ...env, ...loaded.config.defaults.env, ...type.env });
  return engine.ok
    ? ok({ type, engine: engine.value, template: template.value, loaded })
    : refuse('engine', engine.error);
}

/** The type's template, completed by its addendum where it has one; both are found by the same search. */
async function readTemplate(type: WorkerType, host: PlanContext): Promise<Outcome<string | null>> {
  if (type.template === null) {
    return ok(null);
  }
  const template = await readTemplateFile(type, type.template, host);
  const addendumFile = addendumFileOf(type);
  if (!template.ok || addendumFile === null) {
    return template;
  }
  const addendum = await readTemplateFile(type, addendumFile, host);
  return addendum.ok ? ok(withAddendum(template.value, addendum.value)) : addendum;
}

async function readTemplateFile(type: WorkerType, template: string, host: PlanContext): Promise<Outcome<string>> {
  const { root, ownTemplatesDir } = host;
  const reading = await findTemplate({ root, ownTemplatesDir, type: { ...type, template } });
  switch (reading.kind) {
    case 'ok':
      return ok(reading.text);
    case 'absent':
      return refuse('missing-template', missingTemplateText({ ...type, template }));
    case 'refused':
      return refuse('missing-template', `The template of ${type.name} is refused: ${reading.reason}`);
  }
}

/** A plan with everything decided. */
export interface IsolatedPlan extends StartPlan {
  readonly isolation: IsolationPlan;
}

async function spawn(
  plan: IsolatedPlan,
  claimed: ClaimedFolder,
  request: StartRequest,
  context: StartContext,
): Promise<Outcome<StartedWorker>> {
  const { host } = context;
  const { workerId } = claimed;
  const place = await workplaceOf(plan, workerId, host);
  const failure = place.ok
    ? await launch(
        await keeperSpec(plan, claimed, context, { workplace: place.value, resume: null }),
        context.supervisor,
      )
    : place.error;
  if (failure !== null) {
    await recordFailedSpawn(plan.type, claimed, failure, host);
    return refuse('spawn-failed', `Worker ${workerId} could not be started: ${failure}`);
  }
  const { name: type, model } = plan.type;
  const message = startedText({ workerId, type, model }, request.requestedBy);
  const outputDir = outputDirOf(workerId);
  return ok({ workerId, type, model, outputDir, status: 'starting', message, ...noteOf(plan.isolation) });
}

function noteOf({ note }: IsolationPlan): Pick<StartedWorker, 'isolationNote'> {
  return note === null ? {} : { isolationNote: note };
}

/** The folder that stands for the project's root: in a worktree of the worker's own where it is to have one. */
export async function workplaceOf(
  { isolation }: IsolatedPlan,
  workerId: string,
  { git, root }: HostContext,
): Promise<Result<string, string>> {
  if (isolation.level !== 'worktree') {
    return ok(root);
  }
  const placed = await ensureWorktree(git, workerId);
  return placed.ok ? ok(placed.value.cwd) : placed;
}

/** Starts the keeper; gives why it could not be started, or null. */
export async function launch(spec: KeeperSpec, supervisor: Supervisor): Promise<string | null> {
  try {
    const ready = await supervisor.start(spec);
    return ready.ready ? null : ready.message;
  } catch (error) {
    return errorText(error);
  }
}

/** Where and how a worker's program is run. */
export interface RunPlace {
  /** The folder that stands for the project's root. */
  readonly workplace: string;
  /** The engine's session to go on with, or null for a new one. */
  readonly resume: string | null;
}

/** All that the worker's keeper must know. */
export async function keeperSpec(
  plan: IsolatedPlan,
  claimed: ClaimedFolder,
  { host, epoch, env }: StartContext,
  { workplace, resume }: RunPlace,
): Promise<KeeperSpec> {
  const { type, engine, template, loaded, isolation } = plan;
  const { root, runtimeDir } = host;
  const { workerId, folder } = claimed;
  const hasWorktree = isolation.level === 'worktree';
  const worktree = hasWorktree ? workplace : null;
  // From a worktree a relative path would lead into it.
  const outputDir = hasWorktree ? join(root, outputDirOf(workerId)) : outputDirOf(workerId);
  const prompt = promptOf({ template, workerId, type, root, worktree, outputDir }, resume);
  const workerEnv = environmentFor(type, loaded, env, engine);
  const request: EngineRequest = {
    type,
    workerId,
    root: workplace,
    folder,
    prompt,
    env: workerEnv,
    isSandboxed: isolation.level === 'sandbox',
    hasWorktree,
    mayAsk: true,
    ...budgetOf(type, loaded),
    ...(resume === null ? {} : { resume }),
  };
  const command = engine.commandOf(request);
  const { program } = host.isolation;
  const graceMs = type.graceSeconds === null ? engine.graceMs : type.graceSeconds * 1000;
  return {
    v: 1,
    ...keeperSettings(host),
    ...fuseSettings(type.name, loaded.config, keeperSettings(host).limits, isolation.level),
    workerId,
    type: type.name,
    folder,
    nonce: host.randomHex(16),
    epoch,
    startedAt: formatTimestamp(claimed.startedAt),
    command,
    secrets: secretValuesOf(workerEnv),
    graceMs,
    adopt: null,
    isolation: await isolationOrder({
      plan: isolation,
      command,
      root,
      folder,
      runtimeDir,
      program,
      type,
      workerId,
      ...needsOf(engine, request),
    }),
    ...keptEngineOrder(engine, request, host.engines.settings),
  };
}

function budgetOf({ name }: WorkerType, { config }: LoadedTypes): Pick<EngineRequest, 'budgetUsd'> {
  const { costUsd } = limitsOf(name, config);
  return costUsd === null ? {} : { budgetUsd: costUsd };
}

type PromptDraft = Omit<PromptParts, 'template'> & { readonly template: string | null };

function promptOf({ template, ...parts }: PromptDraft, resume: string | null): string | null {
  if (template === null) {
    return null;
  }
  return resume === null ? promptFor({ template, ...parts }) : goOnPrompt(parts);
}

/** What a program that asks a model needs of the sandbox around it. */
function needsOf({ sandboxOf }: Engine, request: EngineRequest): { readonly engine?: EngineSandbox } {
  return sandboxOf === undefined ? {} : { engine: sandboxOf(request) };
}

/** The keeper writes these files itself when it came that far; what it left is not touched. */
async function recordFailedSpawn(
  type: WorkerType,
  claimed: ClaimedFolder,
  reason: string,
  host: HostContext,
): Promise<void> {
  await removeClaim(claimed.folder);
  const completedAt = formatTimestamp(host.clock.now());
  const status = {
    worker_id: claimed.workerId,
    type: type.name,
    status: 'failed',
    started_at: formatTimestamp(claimed.startedAt),
    completed_at: completedAt,
    progress: null,
    error: reason,
  } as const;
  await createExclusive(join(claimed.folder, 'status.json'), formatStatusDocument(status));
  await createExclusive(join(claimed.folder, 'error.log'), `${reason}\n`);
  await host.registry.update(
    (document) => ({
      ...document,
      rows: document.rows.map((row) =>
        row.kind === 'entry' && row.entry.worker_id === claimed.workerId
          ? { kind: 'entry', entry: { ...row.entry, status: 'failed', completed_at: completedAt } }
          : row,
      ),
    }),
    { create: false },
  );
}

function refuse(code: Refusal['code'], message: string): { readonly ok: false; readonly error: Refusal } {
  return fail({ code, message });
}
