import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Clock } from '../../base/clock';
import { errorText } from '../../base/errorText';
import type { Logger } from '../../base/logger';
import { type ContainerFacts, readContainerFacts } from '../../protocol/features/containerFacts';
import type { DockerEndpoint } from '../../protocol/features/dockerEndpoint';
import type { FeatureSources } from '../../protocol/features/featureSources';
import { readRecord, textAt } from '../../protocol/features/jsonFields';
import type { ContainerEvidence } from '../../protocol/features/liveEvidence';
import { runTool, singleFlight } from '../../system/runTool';
import { worktreesOf } from '../features/projectPlaces';
import { type EngineSearch, findEngine } from './findEngine';

export interface RunContainersOptions extends EngineSearch {
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What runs `dist/docker.js`, with a clean environment. */
  readonly program: {
    readonly nodePath: string;
    readonly script: string;
    readonly env: Readonly<Record<string, string>>;
  };
}

/** An engine's answer is believed for that long: each look at it is a process of its own. */
const FRESH_MS = 5_000;
/** So long is an engine left alone that did not answer. */
const QUIET_MS = 30_000;

/** The containers of one project's feature runs, as the person's container engine shows them. */
export class RunContainers {
  readonly #options: RunContainersOptions;
  #known: readonly ContainerEvidence[] | null = null;
  /** Of the monotonic clock; until then what is known is the answer. */
  #freshUntil = Number.NEGATIVE_INFINITY;
  #hasAsked = false;
  #said = false;
  readonly #renew: () => Promise<void>;

  constructor(options: RunContainersOptions) {
    this.#options = options;
    this.#renew = singleFlight(async () => {
      this.#known = await this.#ask();
      this.#freshUntil = options.clock.monotonic() + (this.#known === null ? QUIET_MS : FRESH_MS);
    });
  }

  /**
   * The project's containers. Only the first look waits for the engine; later ones ask it anew every five seconds and
   * give what is known meanwhile. Null where no engine was asked: the runs have none, there is no engine, or it does not
   * answer, which is told to the log once. Never rejects.
   */
  async look(sources: Pick<FeatureSources, 'states'>): Promise<readonly ContainerEvidence[] | null> {
    if (!mayHaveContainers(sources)) {
      return null;
    }
    if (!this.#hasAsked) {
      await this.#renew();
      this.#hasAsked = true;
    } else if (this.#options.clock.monotonic() >= this.#freshUntil) {
      // A slow engine must not hold up what the files tell.
      void this.#renew();
    }
    return this.#known;
  }

  async #ask(): Promise<readonly ContainerEvidence[] | null> {
    const endpoint = await findEngine(this.#options);
    if (endpoint === null) {
      this.#say('there is none, or only at an address that is not asked');
      return null;
    }
    try {
      return await ownContainers(this.#options.root, await this.#inspected(endpoint));
    } catch (error) {
      this.#say(errorText(error));
      return null;
    }
  }

  async #inspected(endpoint: DockerEndpoint): Promise<readonly ContainerFacts[]> {
    const { nodePath, script, env } = this.#options.program;
    const said = await runTool(nodePath, [script, 'look', JSON.stringify(endpoint)], {
      ...env,
      ELECTRON_RUN_AS_NODE: '1',
    });
    const answer = readRecord(said) ?? {};
    const facts = readContainerFacts(answer['containers']);
    if (facts === null) {
      throw new Error(textAt(answer, 'error') ?? 'it gave no answer');
    }
    return facts;
  }

  #say(reason: string): void {
    if (!this.#said) {
      this.#said = true;
      this.#options.logger.info('The container engine cannot be asked, so runs are shown by their files alone.', {
        reason,
      });
    }
  }
}

/** Whether an engine could know of a worker: all of them but those that were started as plain processes. */
function mayHaveContainers({ states }: Pick<FeatureSources, 'states'>): boolean {
  return states.some(({ value }) => {
    const plain = new Set(
      (value?.events ?? []).filter(({ mode }) => mode === 'subprocess').map(({ worker }) => worker),
    );
    return [...(value?.workers.values() ?? [])].some(({ key, containerId }) => containerId !== null || !plain.has(key));
  });
}

/** A container belongs to the project in which, or in whose worktree, its `/workspace` lies (features.md §1). */
async function ownContainers(root: string, facts: readonly ContainerFacts[]): Promise<readonly ContainerEvidence[]> {
  const folders = [root, ...(await worktreesOf(root)).map(({ folder }) => folder)];
  const real = await Promise.all(folders.map(async (folder) => realpath(folder).catch(() => folder)));
  const own = [...new Set([...folders, ...real])];
  return facts
    .filter(({ workspace }) => own.some((folder) => workspace === folder || workspace.startsWith(folder + sep)))
    .map(({ feature, worker, id, state, unhealthy, exitCode, oomKilled }) => {
      return { feature, worker, id, state, unhealthy, exitCode, oomKilled };
    });
}
