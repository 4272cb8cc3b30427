import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { Logger } from '../base/logger';
import { SerialQueue } from '../base/serialQueue';
import type { FeaturesConfig } from '../protocol/config/configModel';
import { deriveFeatures } from '../protocol/features/deriveFeatures';
import { defaultThresholds, type FeaturesSnapshot, type FeatureThresholds } from '../protocol/features/featureSnapshot';
import type { FeatureSources } from '../protocol/features/featureSources';
import { filesAlone, type LiveEvidence } from '../protocol/features/liveEvidence';
import { machineZone, namedZone, type Zone } from '../protocol/features/zone';
import { FeatureReader } from '../readers/features/featureReader';
import { runProcesses } from '../readers/features/runProcesses';
import type { RunContainers } from '../readers/liveRun/runContainers';
import { FeaturePump } from './featurePump';
import type { TypeCatalog } from './typeCatalog';

export interface FeatureDeskOptions {
  readonly root: string;
  /** The person's home folder, or null where there is none. */
  readonly home: string | null;
  readonly types: TypeCatalog;
  readonly containers: RunContainers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How the feature runs are looked at. */
export interface FeaturesRequest {
  /** Only this one; all without it. */
  readonly feature?: string;
  /** The instant that ages are counted to, epoch milliseconds; then the files alone are asked. Now without it. */
  readonly at?: number;
  /** Zone of the naive times in the files, an IANA name; the machine's without it. */
  readonly tz?: string;
}

/** How the feature runs are followed. */
export interface FollowRequest extends Omit<FeaturesRequest, 'at'> {
  /** Also hands over snapshots in which only ages went on, every second. */
  readonly ticking?: boolean;
}

/** Looks at the feature runs of one root, which other sessions work on. Writes nothing. */
export class FeatureDesk {
  readonly #options: FeatureDeskOptions;
  readonly #reader: FeatureReader;
  readonly #looks = new SerialQueue();

  constructor(options: FeatureDeskOptions) {
    this.#options = options;
    this.#reader = new FeatureReader(options);
  }

  /** Rejects for a zone that is none. */
  async look(request: FeaturesRequest, grace = false): Promise<FeaturesSnapshot> {
    const zone = zoneOf(request.tz);
    const { config } = await this.#options.types.loadConfig();
    const sources = await this.#looks.run(async () => this.#reader.read(config.features.taskHomes));
    const now = request.at ?? this.#options.clock.now();
    const thresholds = thresholdsOf(config.features);
    // Without a state there is no worker to look for.
    const asked = request.at === undefined && sources.states.length > 0;
    const live = asked ? await this.#liveEvidence(sources) : filesAlone;
    const snapshot = deriveFeatures(sources, { now, zone, thresholds, live, grace });
    const { feature } = request;
    return feature === undefined
      ? snapshot
      : { ...snapshot, features: snapshot.features.filter((one) => one.feature === feature) };
  }

  async #liveEvidence(sources: FeatureSources): Promise<LiveEvidence> {
    const containers = await this.#options.containers.look(sources);
    return { processes: runProcesses(this.#options.root), containers };
  }

  /** Hands over a snapshot now and after each change, until disposed; where it is `ticking`, also as ages go on. */
  follow({ ticking, ...request }: FollowRequest, listener: (snapshot: FeaturesSnapshot) => void): Disposable {
    const { clock, logger } = this.#options;
    const pump = new FeaturePump({
      look: async (grace) => this.look(request, grace),
      folders: async () => this.#reader.watchedFolders(),
      clock,
      logger,
      ticking: ticking ?? false,
      listener,
    });
    pump.start();
    return pump;
  }
}

function zoneOf(tz: string | undefined): Zone {
  const zone = tz === undefined ? machineZone : namedZone(tz);
  if (zone === null) {
    throw new Error(`"${tz ?? ''}" is no time zone. Give one like Europe/Berlin or UTC.`);
  }
  return zone;
}

function thresholdsOf({ lateSeconds, staleSeconds, silentSeconds }: FeaturesConfig): FeatureThresholds {
  return {
    lateSeconds: lateSeconds ?? defaultThresholds.lateSeconds,
    staleSeconds: staleSeconds ?? defaultThresholds.staleSeconds,
    silentSeconds: silentSeconds ?? defaultThresholds.silentSeconds,
  };
}
