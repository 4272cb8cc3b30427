import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import { errorCode, errorText } from '../base/errorText';
import type { Logger } from '../base/logger';
import { SerialQueue } from '../base/serialQueue';
import type { FleetEvent } from '../protocol/events/fleetEvent';
import type { AnswerRecord, RequestAnswer } from '../protocol/engines/keptEngine';
import { BY_STOP_FLAG, type ExitRecord } from '../protocol/keeper/exitRecord';
import type { KeeperReady, KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { StopReceipt } from '../protocol/keeper/stopReceipt';
import type { KeeperFacts, WorkerFacts } from '../protocol/workerFacts';
import { ControlError } from '../system/controlMessage';
import type { KeeperClient } from './keeperClient';
import { ladderEvents, stopEvents, terminalWordIn } from './replayFacts';
import { transition } from './transition';
import { WorkerTimers } from './workerTimers';
import type { WorkerEffect } from './workerEffect';
import type { WorkerHappening } from './workerEvent';
import { backgroundPolicy, policyOf } from './workerPolicy';
import { initialState, type WorkerState } from './workerState';

/** What the supervisor needs from outside; all of it may be slow, none of it may be skipped. */
export interface SupervisorDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears of each change of state, step of a stop and exit; of those that adoption meets again, too. */
  readonly record: (event: FleetEvent) => void;
  /** Starts a keeper; failures are answers. */
  launch(spec: KeeperSpec): Promise<KeeperReady>;
  /** Opens a keeper's pipe; rejects with a `ControlError`. */
  connect(target: { readonly endpoint: string; readonly nonce: string; readonly epoch: number }): Promise<KeeperClient>;
  /** Reads a worker's files anew; null when it is in no registry any more. Rejects while nobody can tell. */
  look(workerId: string): Promise<WorkerFacts | null>;
  /** The spec of a keeper for what a dead one left of this worker. */
  takeOverSpec(facts: WorkerFacts, epoch: number): KeeperSpec;
}

/** Between two tries to reach a living keeper that does not answer: doubling from the first to the last. */
const RETRY_MS = { first: 100, last: 5_000 };

/**
 * One worker in the hands of this process: its state, its mailbox and the line to its keeper. Everything that happens
 * to it goes through the mailbox one by one; what an effect brings about is heard before the next thing.
 */
export class SupervisedWorker implements Disposable {
  readonly workerId: string;
  readonly #deps: SupervisorDeps;
  readonly #onChange: (worker: SupervisedWorker) => void;
  readonly #mailbox = new SerialQueue();
  readonly #timers: WorkerTimers;
  #state: WorkerState = initialState(backgroundPolicy.restarts);
  #policy = backgroundPolicy;
  #spec: KeeperSpec | null = null;
  #epoch = 0;
  #client: KeeperClient | null = null;
  #ready: KeeperReady = { ready: false, message: 'The worker was not started: it is not in a state to start from.' };
  #receipt: StopReceipt | null = null;
  #tries = 0;
  #disposed = false;

  /** `onChange` hears of every change of the state's kind and of every step of a stop. */
  constructor(workerId: string, deps: SupervisorDeps, onChange: (worker: SupervisedWorker) => void) {
    this.workerId = workerId;
    this.#deps = deps;
    this.#onChange = onChange;
    this.#timers = new WorkerTimers(deps.clock, (happening) => {
      this.#hear(async () => Promise.resolve([happening]));
    });
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Starts it; the answer is the keeper's, or why there was none. */
  async start(spec: KeeperSpec): Promise<KeeperReady> {
    return await this.#mailbox.run(async () => {
      this.#spec = spec;
      this.#epoch = spec.epoch;
      this.#policy = policyOf(spec);
      await this.#process([{ kind: 'startRequested' }]);
      return this.#ready;
    });
  }

  /** Connects to its living keeper, or puts a new one over what the dead one left. A stop that was asked for goes on. */
  async adopt(facts: WorkerFacts, epoch: number): Promise<void> {
    await this.#mailbox.run(async () => {
      this.#lead(epoch);
      if (this.#client === null) {
        // What is followed already knows of its stop; hearing of it again would press the ladder on.
        const fresh = this.#state.kind === 'unknown' && facts.keeper !== null;
        const asked = fresh ? stopEvents(facts, facts.keeper.record) : [];
        await this.#process([...asked, ...(await this.#judge(facts))]);
      }
    });
  }

  /** Runs or presses on the stop ladder. Null when no keeper could be asked. */
  async stop(request: StopOrder): Promise<StopReceipt | null> {
    const { facts, epoch, requestedBy: by, force } = request;
    return await this.#mailbox.run(async () => {
      this.#lead(epoch);
      if (this.#client === null) {
        const fresh = this.#state.kind === 'unknown' && facts.keeper !== null;
        const asked = fresh ? ladderEvents(facts.keeper.record) : [];
        await this.#process([...asked, ...(await this.#judge(facts))]);
      }
      await this.#process([{ kind: 'stopRequested', by, force }]);
      return this.#receipt;
    });
  }

  /** Hands an answer of a person to its program. Rejects with a `ControlError` where that waits for none. */
  async answer({ facts, epoch, answer }: AnswerOrder): Promise<AnswerRecord> {
    return await this.#mailbox.run(async () => {
      this.#lead(epoch);
      if (this.#client === null) {
        await this.#process(await this.#judge(facts));
      }
      if (this.#client === null) {
        throw new ControlError({ code: 'no-answer', message: 'Its keeper does not answer. Try again.' });
      }
      return await this.#client.request('answer', answer);
    });
  }

  /** Lets go of keeper and timers; the worker goes on. */
  dispose(): void {
    this.#disposed = true;
    this.#timers.dispose();
    this.#letGo();
  }

  /** A line that was opened under an older lease would be refused: open it anew. */
  #lead(epoch: number): void {
    if (epoch > this.#epoch) {
      this.#epoch = epoch;
      this.#letGo();
    }
  }

  #letGo(): void {
    const client = this.#client;
    this.#client = null;
    client?.dispose();
  }

  #hear(find: () => Promise<readonly WorkerHappening[]>): void {
    this.#mailbox
      .run(async () => {
        if (!this.#disposed) {
          await this.#process(await find());
        }
      })
      .catch((error: unknown) => {
        this.#deps.logger.error('worker event failed', { worker: this.workerId, error: errorText(error) });
        this.#judgeAgain();
      });
  }

  async #process(happenings: readonly WorkerHappening[]): Promise<void> {
    const waiting = [...happenings];
    for (let next = waiting.shift(); next !== undefined && !this.#disposed; next = waiting.shift()) {
      const before = this.#state;
      const move = transition(before, { ...next, at: this.#deps.clock.now() }, this.#policy);
      this.#state = move.state;
      for (const effect of move.effects) {
        waiting.push(...(await this.#perform(effect)));
      }
      if (next.kind === 'stopStepTaken') {
        this.#deps.record({ type: 'StopStepTaken', data: { worker: this.workerId, step: next.step } });
      }
      if (before.kind !== this.#state.kind || next.kind === 'stopStepTaken') {
        this.#tell(before, next);
      }
    }
  }

  #tell(before: WorkerState, { kind: event }: WorkerHappening): void {
    const change = { worker: this.workerId, from: before.kind, to: this.#state.kind, event };
    this.#deps.logger.info('worker state', change);
    if (before.kind !== this.#state.kind) {
      this.#deps.record({ type: 'WorkerStateChanged', data: change });
    }
    this.#onChange(this);
  }

  /** Does what a transition asked for, and tells what came of it. */
  async #perform(effect: WorkerEffect): Promise<readonly WorkerHappening[]> {
    switch (effect.kind) {
      case 'spawn':
        return await this.#spawn();
      case 'requestStop':
        return await this.#requestStop(effect);
      case 'probe':
        return await this.#probe();
      case 'armTimer':
        // What is parked goes on by another command, in its engine's session: whoever leads then starts it anew.
        if (effect.timer !== 'park') {
          this.#timers.arm(effect);
        }
        return [];
      case 'cancelTimers':
        this.#timers.cancel();
        return [];
      case 'recordExit':
        this.#deps.logger.info('worker exit', { worker: this.workerId, class: effect.exit.class });
        this.#deps.record({ type: 'WorkerExited', data: { worker: this.workerId, exit: effect.exit } });
        return [];
      case 'release':
        this.#letGo();
        return [];
    }
  }

  async #spawn(): Promise<readonly WorkerHappening[]> {
    if (this.#spec === null) {
      return [{ kind: 'spawnFailed', cause: 'config', text: 'Its command is not known any more. Start a new worker.' }];
    }
    const ready = await this.#launch({ ...this.#spec, epoch: this.#epoch });
    this.#ready = ready;
    if (!ready.ready) {
      return [{ kind: 'spawnFailed', cause: await this.#causeOfFailure(), text: ready.message }];
    }
    const spawned: WorkerHappening = { kind: 'spawned', process: ready.process };
    return [spawned, ...(await this.#reach(ready.endpoint, this.#spec.nonce))];
  }

  /** A keeper that died before its answer may have spawned already: the next one keeps that, or ends what is left. */
  async #launch(spec: KeeperSpec): Promise<KeeperReady> {
    const ready = await this.#deps.launch(spec);
    const facts = ready.ready ? null : await this.#deps.look(this.workerId).catch(() => null);
    const isLeft = facts !== null && facts.keeper !== null && isAbandoned(facts);
    return isLeft ? await this.#deps.launch(this.#deps.takeOverSpec(facts, this.#epoch)) : ready;
  }

  async #probe(): Promise<readonly WorkerHappening[]> {
    try {
      await this.#client?.request('beat', null);
      return [];
    } catch (error) {
      return this.#unreachable(error);
    }
  }

  async #causeOfFailure(): Promise<ExitRecord['class']> {
    // Without its files the failure has no finer name; its text is the keeper's anyway.
    const facts = await this.#deps.look(this.workerId).catch(() => null);
    return facts?.keeper?.record.attempts.at(-1)?.exit?.class ?? 'never started';
  }

  async #requestStop(effect: Extract<WorkerEffect, { kind: 'requestStop' }>): Promise<readonly WorkerHappening[]> {
    const { by: requestedBy, force, again } = effect;
    const client = this.#client;
    if (client === null) {
      return [];
    }
    try {
      const running = again ? null : (await client.request('beat', null)).stop;
      // A stop that only the flag made is joined: its keeper takes no step for that, and learns who asked.
      const isNamed = running !== null && (running.requestedBy !== BY_STOP_FLAG || requestedBy === BY_STOP_FLAG);
      this.#receipt = isNamed ? running : await client.request('stop', { requestedBy, force });
      return [];
    } catch (error) {
      return this.#unreachable(error);
    }
  }

  /** What the files and the machine say about it now, and a line to its keeper where there is one to reach. */
  async #judge(facts: WorkerFacts | null): Promise<readonly WorkerHappening[]> {
    if (facts === null) {
      return [{ kind: 'ownershipLost' }];
    }
    const { keeper } = facts;
    const exit = keeper?.record.attempts.at(-1)?.exit ?? null;
    if (exit !== null) {
      return [...wordIn(facts), { kind: 'exited', exit }];
    }
    const spec = this.#deps.takeOverSpec(facts, this.#epoch);
    this.#policy = policyOf(spec);
    if (keeper?.keeper === 'alive') {
      return [...aliveIn(keeper), ...(await this.#reach(keeper.record.endpoint, keeper.record.nonce))];
    }
    // Also over a dead process: only a keeper ends the children that it left, and closes the record.
    return isAbandoned(facts) ? await this.#takeOver(spec, keeper) : [{ kind: 'ownershipLost' }];
  }

  async #takeOver(spec: KeeperSpec, keeper: KeeperFacts | null): Promise<readonly WorkerHappening[]> {
    const ready = await this.#deps.launch(spec);
    const alive = keeper === null ? [] : aliveIn(keeper);
    if (ready.ready && ready.process !== null && ready.process.pid !== spec.adopt?.pid) {
      // What the dead process stood for goes on, and another process stands for it now.
      return [...(await this.#reach(ready.endpoint, spec.nonce)), { kind: 'provenAlive', process: ready.process }];
    }
    if (!ready.ready) {
      this.#deps.logger.warn('keeper not replaced', { worker: this.workerId, reason: ready.message });
      this.#judgeAgain();
      return alive;
    }
    // The line first: a stop that is still wanted is asked for as soon as the process is known to live.
    return [...(await this.#reach(ready.endpoint, spec.nonce)), ...alive];
  }

  /** Opens the line to a living keeper; what it knows already is heard at once. */
  async #reach(endpoint: string, nonce: string): Promise<readonly WorkerHappening[]> {
    this.#letGo();
    try {
      const client = await this.#deps.connect({ endpoint, nonce, epoch: this.#epoch });
      this.#client = client;
      this.#listen(client);
      const { exit } = await client.request('beat', null);
      this.#tries = 0;
      return exit === null ? [] : await this.#exitHappenings(exit);
    } catch (error) {
      return this.#unreachable(error);
    }
  }

  #listen(client: KeeperClient): void {
    client.on('exit', (exit) => {
      this.#hear(async () => await this.#exitHappenings(exit));
    });
    client.on('stopStep', (receipt) => {
      this.#receipt = receipt;
      const step = receipt.steps.at(-1)?.step;
      this.#hear(async () => Promise.resolve(step === undefined ? [] : [{ kind: 'stopStepTaken', step }]));
    });
    client.onClose(() => {
      if (this.#client === client) {
        this.#client = null;
        this.#hear(async () => await this.#judgeIfOpen());
      }
    });
  }

  async #exitHappenings(exit: ExitRecord): Promise<readonly WorkerHappening[]> {
    // The end itself was told; what its files say besides may be missing.
    const facts = await this.#deps.look(this.workerId).catch(() => null);
    return [...(facts === null ? [] : wordIn(facts)), { kind: 'exited', exit }];
  }

  #unreachable(error: unknown): readonly WorkerHappening[] {
    const code = errorCode(error);
    if (code === 'stale-epoch') {
      return [{ kind: 'ownershipLost' }];
    }
    // A worker that ended while it was asked is no trouble; the next look tells how it ended.
    const level = code === 'ended' || code === 'closed' ? 'debug' : 'warn';
    this.#deps.logger[level]('keeper does not answer', { worker: this.workerId, error: errorText(error) });
    this.#judgeAgain();
    return [];
  }

  #judgeAgain(): void {
    const delayMs = Math.min(RETRY_MS.first * 2 ** this.#tries, RETRY_MS.last);
    this.#tries += 1;
    this.#timers.retry(delayMs, () => {
      this.#hear(async () => await this.#judgeIfOpen());
    });
  }

  async #judgeIfOpen(): Promise<readonly WorkerHappening[]> {
    const followed =
      this.#state.kind === 'running' || this.#state.kind === 'stopping' || this.#state.kind === 'starting';
    return followed && this.#client === null ? await this.#judge(await this.#deps.look(this.workerId)) : [];
  }
}

/** A stop for one worker. */
export interface StopOrder {
  readonly facts: WorkerFacts;
  /** Epoch of the lease under which it is asked. */
  readonly epoch: number;
  readonly requestedBy: string;
  readonly force: boolean;
}

/** An answer of a person for one worker. */
export interface AnswerOrder {
  readonly facts: WorkerFacts;
  /** Epoch of the lease under which it is given. */
  readonly epoch: number;
  readonly answer: RequestAnswer;
}

function wordIn(facts: WorkerFacts): readonly WorkerHappening[] {
  const word = terminalWordIn(facts.status);
  return word === null ? [] : [{ kind: 'wordHeard', word }];
}

function aliveIn({ record, process }: KeeperFacts): readonly WorkerHappening[] {
  return record.process !== null && process === 'alive' ? [{ kind: 'provenAlive', process: record.process }] : [];
}

/** Its keeper died before it recorded an end, on this machine; or nobody can tell, and a living one will refuse. */
function isAbandoned({ keeper, keeperProblem }: WorkerFacts): boolean {
  if (keeper === null) {
    return keeperProblem !== null;
  }
  const isClosed = (keeper.record.attempts.at(-1)?.exit ?? null) !== null;
  return !isClosed && keeper.keeper === 'dead' && keeper.process !== 'unknown';
}
