import { createHash } from 'node:crypto';
import { basename, join, sep } from 'node:path';
import { fail, ok, type Result } from '../base/result';
import type { DockerEndpoint } from '../protocol/features/dockerEndpoint';
import type { ContainerOrder } from '../protocol/keeper/containerOrder';
import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { WorkerType } from '../protocol/workers/workerType';
import { findEngine } from '../readers/liveRun/findEngine';
import type { CallerEnv } from './hostContext';

/** How this machine's containers are asked about. */
export interface ContainerMeans {
  /** Why no container of this image can be made there, ending in what the person can do, or null. */
  readonly trouble: (endpoint: DockerEndpoint, image: string) => Promise<string | null>;
}

/** What a worker's container will be made of. */
export interface ContainerPlan {
  readonly endpoint: DockerEndpoint;
  readonly image: string;
  /** Of the container's memory; null: no limit. */
  readonly memoryBytes: number | null;
}

export interface ContainerQuestion {
  readonly type: WorkerType;
  /** Of whoever asks, because DOCKER_HOST and DOCKER_CONTEXT are theirs. */
  readonly callerEnv: CallerEnv;
  readonly memoryMB: number | null;
  readonly means: ContainerMeans;
}

const MEGABYTE = 1024 * 1024;

/** Whether this type can run in a container now; the error ends in what the person can do. Makes nothing. */
export async function planContainer(question: ContainerQuestion): Promise<Result<ContainerPlan, string>> {
  const { type, callerEnv, memoryMB, means } = question;
  const image = type.image ?? null;
  if (type.command === null) {
    return fail(
      `Worker type ${type.name} has no command, and a container runs nothing else. Choose auto, sandbox or audit.`,
    );
  }
  if (image === null) {
    return fail(`Worker type ${type.name} names no image. Add "image" to types.${type.name} in .vscode/workers.json.`);
  }
  if (process.platform === 'win32') {
    return fail(
      `Worker type ${type.name} asks for a container, and paths of Windows mean nothing inside one. Open this project in WSL, or choose another isolation.`,
    );
  }
  const home = callerEnv['HOME'] ?? '';
  const endpoint = await findEngine({
    env: callerEnv,
    home: home === '' ? null : home,
    platform: process.platform,
  });
  if (endpoint === null) {
    return fail(
      'There is no container engine, or only at an address that is not asked, such as one over SSH. Start Docker, or correct DOCKER_HOST or the docker context.',
    );
  }
  const trouble = await means.trouble(endpoint, image);
  const memoryBytes = memoryMB === null ? null : Math.ceil(memoryMB * MEGABYTE);
  return trouble === null ? ok({ endpoint, image, memoryBytes }) : fail(trouble);
}

export interface ContainerDraft {
  readonly plan: ContainerPlan;
  readonly command: EngineCommand;
  /** What the person's configuration adds; nothing else of this machine's environment means anything inside. */
  readonly env: Readonly<Record<string, string>>;
  readonly type: string;
  readonly workerId: string;
  /** The project's root as the program was told it, perhaps through a link that leads nowhere inside. */
  readonly namedRoot: string;
  /** Absolute and free of links, as the next two. */
  readonly root: string;
  readonly folder: string;
  readonly mayWrite: readonly string[];
}

/** The files of the keeper that are there when the container starts. */
const SEALED = ['keeper.json', 'output.raw'];

/**
 * A worker's container, as an order: the project to read, its own folder and what its type names to write, and labels by
 * which people find it (`docker ps --filter label=rollcall.worker`).
 */
export function containerOrder(draft: ContainerDraft): ContainerOrder {
  const { plan, command, env, type, workerId, namedRoot, root, folder, mayWrite } = draft;
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return {
    ...plan,
    name: `rollcall-${workerId}-${hash}`,
    labels: {
      'rollcall.worker': workerId,
      'rollcall.type': type,
      'rollcall.project': basename(root),
      'rollcall.folder': folder,
    },
    command: [command.command, ...command.args],
    env: { HOME: '/tmp', ...env, ...ownVariables(command.env, namedRoot, root) },
    cwd: root,
    readable: [root],
    writable: [folder, ...mayWrite],
    sealed: SEALED.map((name) => join(folder, name)),
    user: userOf(plan.endpoint),
  };
}

/** What the engine told the program of its place, as it is inside. */
function ownVariables(
  env: Readonly<Record<string, string>>,
  namedRoot: string,
  root: string,
): Readonly<Record<string, string>> {
  const own = Object.entries(env).filter(([name]) => name.startsWith('ROLLCALL_'));
  const inside = (value: string): string =>
    value.startsWith(namedRoot + sep) ? root + value.slice(namedRoot.length) : value;
  return Object.fromEntries(own.map(([name, value]) => [name, inside(value)]));
}

/** On this machine the person's numbers hold inside too; elsewhere, or where the engine maps them, they say nothing. */
function userOf({ kind }: DockerEndpoint): string | null {
  const { getuid, getgid } = process;
  return kind === 'socket' && process.platform === 'linux' && getuid !== undefined && getgid !== undefined
    ? `${getuid()}:${getgid()}`
    : null;
}
