import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { RandomHex } from '../base/randomId';
import type { Surface } from '../protocol/workers/surface';
import type { PlanFiles } from '../registry/planFiles';
import type { QueueFile } from '../registry/queueFile';
import type { Registry } from '../registry/registryStore';
import type { KeeperProgram } from '../supervisor/keeperLauncher';
import type { Git } from '../worktrees/git';
import type { IsolationMeans } from './isolation';
import type { EngineCatalog } from './engineCatalog';
import type { FeatureDesk } from './featureDesk';
import type { FleetFuses } from './fleetFuses';
import type { FleetReader } from './fleetReader';
import type { Journal } from './journal';
import type { TypeCatalog } from './typeCatalog';

/** What the parts of one host share. Made once by `createHost`. */
export interface HostContext {
  readonly root: string;
  readonly workersDir: string;
  /** Why the workers folder must not be touched (a link out of the project), or null. */
  readonly refused: string | null;
  /** Folder of the templates that we ship. */
  readonly ownTemplatesDir: string;
  /** Private folder of the control sockets; made by who first listens there. */
  readonly runtimeDir: string;
  readonly trusted: boolean;
  /** The kind of surface that this host serves. */
  readonly surface: Surface;
  readonly clock: Clock;
  readonly randomHex: RandomHex;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly planFiles: PlanFiles;
  readonly queueFile: QueueFile;
  /** The fuses of the whole project. */
  readonly fuses: FleetFuses;
  readonly fleet: FleetReader;
  readonly features: FeatureDesk;
  /** Writes only while this process leads. */
  readonly journal: Journal;
  readonly types: TypeCatalog;
  readonly engines: EngineCatalog;
  readonly isolation: IsolationMeans;
  readonly git: Git;
  /** Where the bundles are, and what runs them. */
  readonly program: KeeperProgram;
  /** The environment of this process, for what is started without anybody's request. */
  readonly env: CallerEnv;
}

/** The environment of whoever asks, before the allow-list. */
export type CallerEnv = Readonly<Record<string, string | undefined>>;
