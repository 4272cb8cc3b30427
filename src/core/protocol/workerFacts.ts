import type { KeeperRecord } from './keeper/keeperRecord';
import type { Liveness } from './keeper/processIdentity';
import type { RegistryEntry, StatusDocument } from './workers/registryEntry';

/** What a look found in a worker's status.json. */
export type StatusReading =
  | { readonly kind: 'ok'; readonly document: StatusDocument; readonly mtimeMs: number }
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'unreadable';
      /** One plain sentence, e.g. `status.json is larger than 64 KiB`. */
      readonly reason: string;
      /** What it last said while it could be read. */
      readonly lastGood: StatusDocument | null;
      readonly mtimeMs: number | null;
    };

/** A keeper's record together with what the machine says about the two processes that it names. */
export interface KeeperFacts {
  readonly record: KeeperRecord;
  readonly keeper: Liveness;
  readonly process: Liveness;
  readonly mtimeMs: number;
}

/** Everything that the files and the machine say about one worker; states are derived from it by pure rules. */
export interface WorkerFacts {
  readonly entry: RegistryEntry;
  /** Absolute, derived from the worker id. */
  readonly folder: string;
  readonly logFile: string;
  readonly folderExists: boolean;
  readonly status: StatusReading;
  /** When the stop-requested flag was made, or null. */
  readonly stopFlagAt: number | null;
  readonly keeper: KeeperFacts | null;
  /** Why keeper.json could not be used, or null. */
  readonly keeperProblem: string | null;
  /** The newest change in the worker's folder, epoch ms. */
  readonly newestMtimeMs: number | null;
  readonly outputs: readonly string[];
  /** Why the registry's row itself is bad, or null. */
  readonly rowProblem: string | null;
}
