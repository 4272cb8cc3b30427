import type { Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/emitter';
import { errorText } from '../base/errorText';
import type { AnswerRecord } from '../protocol/engines/keptEngine';
import type { KeeperReady, KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { StopReceipt } from '../protocol/keeper/stopReceipt';
import type { WorkerFacts } from '../protocol/workerFacts';
import { connectKeeper } from './keeperClient';
import { type KeeperProgram, launchKeeper } from './keeperLauncher';
import { ControlError } from '../system/controlMessage';
import { type AnswerOrder, type StopOrder, SupervisedWorker, type SupervisorDeps } from './supervisedWorker';
import { isEnd } from './workerState';

export type SupervisorOptions = KeeperProgram & Omit<SupervisorDeps, 'launch' | 'connect'>;

/**
 * Decides about the workers of one root (lifecycle §1); only for the process that leads. It may be killed at any
 * instant: whatever it knows is in the keepers' files, and the next one adopts.
 */
export interface Supervisor extends Disposable {
  /** Starts a keeper with its worker. What goes wrong is an answer (`ready: false`), ending in what the person can do. */
  start(spec: KeeperSpec): Promise<KeeperReady>;
  /**
   * Runs the stop ladder, or presses a running one on by a step; adopts first where needed. The receipt as it is now,
   * or null when the worker has no keeper that could be asked (its flag is all that can be done).
   */
  stop(order: StopOrder): Promise<StopReceipt | null>;
  /** Hands an answer of a person to a worker's program; adopts first where needed. Rejects with a `ControlError`. */
  answer(order: AnswerOrder): Promise<AnswerRecord>;
  /**
   * Takes over whatever lives among these (lifecycle §7), carries on a stop that was asked for before, and has what is
   * left of the dead ended. What is settled or followed already is left as it is.
   */
  adopt(workers: readonly WorkerFacts[], epoch: number): Promise<void>;
  /** Fires with a worker's id when its state or its stop moved on; what is true then stands in the files. */
  readonly onDidChange: Event<string>;
  /** Lets go of every worker, because another process leads now; `adopt` takes them back. */
  releaseAll(): void;
  /** Lets go of every keeper and timer for good; the workers go on. */
  dispose(): void;
}

/** A supervisor without workers; `adopt` gives it those that live already. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { nodePath, keeperScript, env, clock } = options;
  return new Fleet({
    ...options,
    launch: async (spec) => await launchKeeper({ nodePath, keeperScript, env, clock, spec }),
    connect: async (target) => await connectKeeper({ ...target, clock }),
  });
}

class Fleet implements Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #workers = new Map<string, SupervisedWorker>();
  readonly #changed: Emitter<string>;
  #disposed = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#changed = new Emitter((error) => {
      deps.logger.error('listener failed', { error: errorText(error) });
    });
  }

  get onDidChange(): Event<string> {
    return this.#changed.event;
  }

  async start(spec: KeeperSpec): Promise<KeeperReady> {
    return this.#disposed
      ? { ready: false, message: 'This window is closing; start the worker from another one.' }
      : await this.#take(spec.workerId).start(spec);
  }

  async stop(order: StopOrder): Promise<StopReceipt | null> {
    const workerId = order.facts.entry.worker_id;
    const reachable = this.#workers.has(workerId) || isOpen(order.facts);
    return this.#disposed || !reachable ? null : await this.#take(workerId).stop(order);
  }

  async answer(order: AnswerOrder): Promise<AnswerRecord> {
    if (this.#disposed || !isOpen(order.facts)) {
      throw new ControlError({ code: 'ended', message: 'The worker has ended and waits for no answer.' });
    }
    return await this.#take(order.facts.entry.worker_id).answer(order);
  }

  async adopt(workers: readonly WorkerFacts[], epoch: number): Promise<void> {
    const orphans = workers.filter((facts) => isUnsettled(facts) && !this.#disposed);
    await Promise.all(
      orphans.map(async (facts) => {
        await this.#take(facts.entry.worker_id).adopt(facts, epoch);
      }),
    );
  }

  releaseAll(): void {
    for (const worker of this.#workers.values()) {
      worker.dispose();
    }
    this.#workers.clear();
  }

  dispose(): void {
    this.#disposed = true;
    this.releaseAll();
    this.#changed.dispose();
  }

  #take(workerId: string): SupervisedWorker {
    const known = this.#workers.get(workerId);
    if (known !== undefined) {
      return known;
    }
    const worker = new SupervisedWorker(workerId, this.#deps, (changed) => {
      this.#tell(changed);
    });
    this.#workers.set(workerId, worker);
    return worker;
  }

  #tell(worker: SupervisedWorker): void {
    // What is parked is left to whoever leads when its time has come.
    if (isEnd(worker.state) || worker.state.kind === 'parked') {
      this.#workers.delete(worker.workerId);
      worker.dispose();
    }
    this.#changed.fire(worker.workerId);
  }
}

/** Somebody may still be alive, and nobody recorded an end. */
function isOpen(facts: WorkerFacts): boolean {
  const { keeper } = facts;
  return isUnsettled(facts) && (keeper === null || keeper.keeper === 'alive' || keeper.process === 'alive');
}

/** Nobody recorded an end, or the record cannot be read: children of a dead process may still live. */
function isUnsettled({ keeper, keeperProblem }: WorkerFacts): boolean {
  return keeper === null ? keeperProblem !== null : (keeper.record.attempts.at(-1)?.exit ?? null) === null;
}
