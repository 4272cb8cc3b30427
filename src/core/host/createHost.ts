import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock';
import type { Logger } from '../base/logger';
import { BuiltinEngine } from '../engines/builtin';
import { CommandEngine } from '../engines/command';
import { readEnginesSettings, type EnginesSettings } from '../engines/engineSettings';
import { DEFAULT_MAX_CONCURRENT } from '../protocol/workers/registryDocument';
import type { Surface } from '../protocol/workers/surface';
import { LogSizes } from '../readers/logSizes';
import { RunContainers } from '../readers/liveRun/runContainers';
import { openFuseFile } from '../registry/fuseFile';
import { openLease } from '../registry/lease';
import { resolveWorkersDir } from '../registry/paths';
import { openPlanFiles } from '../registry/planFiles';
import { openQueueFile } from '../registry/queueFile';
import { openRegistry } from '../registry/registryStore';
import { randomHex } from '../system/randomHex';
import { allowListedEnv } from '../system/cleanEnv';
import { ownFileOwner } from '../system/fileOwner';
import { endpointFor, runtimeDirOf } from '../system/runtimeDir';
import { Git } from '../worktrees/git';
import type { HostApi } from './api';
import { isolationMeans } from './isolationMeans';
import { EngineCatalog } from './engineCatalog';
import { FeatureDesk } from './featureDesk';
import { FleetFuses, type FleetFusesOptions } from './fleetFuses';
import { FleetReader } from './fleetReader';
import type { CallerEnv, HostContext } from './hostContext';
import { Journal } from './journal';
import { LocalHost } from './localHost';
import { OutlookReader } from './outlookReader';
import { TypeCatalog } from './typeCatalog';

export interface HostOptions {
  /** Absolute project root, from `findRoot`. */
  readonly root: string;
  /** The kind of surface that this host serves; the lease names it. */
  readonly surface: Surface;
  /** Folder with the bundles keeper.js and worker.js; `media/` lies beside it. */
  readonly distDir: string;
  /** A Node executable for our own processes; VS Code's binary serves as one. */
  readonly nodePath: string;
  readonly env: CallerEnv;
  /** Nothing is started, and no project file decides what runs, while this is false. */
  readonly trusted: boolean;
  readonly logger: Logger;
  /** What the person set for engines, as `readEnginesSettings` takes it; asked again for each start. Absent: nothing. */
  readonly engines?: () => unknown;
  /** The machine's clock unless given. */
  readonly clock?: Clock;
}

/** Wires core for one root; the only place where its rooms meet. Touches no file of the project. */
export async function createHost(options: HostOptions): Promise<HostApi> {
  const { root, logger, trusted, surface, clock = systemClock() } = options;
  const workersDir = await resolveWorkersDir(root);
  const ownTemplatesDir = join(options.distDir, '..', 'media', 'worker-templates');
  const types = new TypeCatalog({ root, ownTemplatesDir, trusted });
  const maxConcurrent = (await types.load()).config.maxConcurrent ?? DEFAULT_MAX_CONCURRENT;
  const runtimeDir = runtimeDirOf();
  const owner = await ownFileOwner();
  const nonce = randomHex(16);
  const endpoint = endpointFor(runtimeDir, `leader:${nonce}`);
  const dir = workersDir.ok ? workersDir.value : join(root, '.keysarium', 'workers');
  const registry = openRegistry({ workersDir: dir, clock, randomHex, maxConcurrent });
  const lease = openLease({ workersDir: dir, surface, endpoint, nonce, owner, clock });
  const refused = workersDir.ok ? null : workersDir.error.message;
  const planFiles = openPlanFiles({ workersDir: dir, clock, randomHex });
  const queueFile = openQueueFile({ workersDir: dir, clock, randomHex });
  const outlook = new OutlookReader({ root, workersDir: dir, trusted, types, planFiles, queueFile, clock });
  const fuses = fleetFuses({ root, workersDir: dir, types, clock });
  const seen = { root, workersDir: dir, refused, registry, lease, self: owner, clock, types, outlook, fuses };
  const fleet = new FleetReader(seen);
  const journal = new Journal({ workersDir: dir, lease, clock, logger, surface, pid: owner.pid });
  const context: HostContext = {
    root,
    workersDir: dir,
    refused,
    ownTemplatesDir,
    runtimeDir,
    trusted,
    surface,
    clock,
    randomHex,
    logger,
    registry,
    planFiles,
    queueFile,
    fuses,
    fleet,
    features: featureDesk(options, types, clock),
    journal,
    types,
    engines: engineCatalog(options, clock),
    isolation: isolationMeans(options),
    git: new Git({ root, env: allowListedEnv(options.env) }),
    program: {
      nodePath: options.nodePath,
      keeperScript: join(options.distDir, 'keeper.js'),
      env: allowListedEnv(options.env),
    },
    env: options.env,
  };
  return new LocalHost({ context, lease, endpoint, nonce, env: options.env });
}

function fleetFuses(parts: Omit<FleetFusesOptions, 'file' | 'sizes'>): FleetFuses {
  const { workersDir, clock } = parts;
  const file = openFuseFile({ workersDir, clock, randomHex });
  return new FleetFuses({ ...parts, file, sizes: new LogSizes({ workersDir, clock }) });
}

function engineCatalog({ root, nodePath, distDir, engines }: HostOptions, clock: Clock): EngineCatalog {
  const builtin = new BuiltinEngine({ nodePath, workerScript: join(distDir, 'worker.js') });
  const settings = (): EnginesSettings => readEnginesSettings(engines?.());
  return new EngineCatalog({ root, distDir, own: [builtin, new CommandEngine()], settings, clock });
}

function featureDesk(options: HostOptions, types: TypeCatalog, clock: Clock): FeatureDesk {
  const { root, env, nodePath, distDir, logger } = options;
  const home = homeOf(env);
  const program = { nodePath, script: join(distDir, 'docker.js'), env: allowListedEnv(env) };
  const containers = new RunContainers({ root, env, home, platform: process.platform, clock, logger, program });
  return new FeatureDesk({ root, home, types, containers, clock, logger });
}

function homeOf(env: CallerEnv): string | null {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  return home === '' ? null : home;
}
