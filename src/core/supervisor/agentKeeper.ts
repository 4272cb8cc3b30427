import type { Disposable } from '../base/disposable';
import { errorCode, errorText } from '../base/errorText';
import { SerialQueue } from '../base/serialQueue';
import type { ExitClass, ExitRecord } from '../protocol/keeper/exitRecord';
import type { MailItem } from '../protocol/keeper/mail';
import type { StopReceipt } from '../protocol/keeper/stopReceipt';
import type { KeeperFacts } from '../protocol/workerFacts';
import type { AgentKeeperClient } from './keeperClient';
import type { AgentKeeperDeps, StartProblem } from './agentKeeperDeps';
import { transition } from './transition';
import { untilKeeperLeft } from './untilKeeperLeft';
import type { WorkerEffect } from './workerEffect';
import type { WorkerHappening } from './workerEvent';
import type { WorkerPolicy } from './workerPolicy';
import type { WorkerState } from './workerState';
import { WorkerTimers } from './workerTimers';

/** Between two tries to reach a living keeper that does not answer: doubling from the first to the last. */
const RETRY_MS = { first: 100, last: 5_000 };
/** A keeper that a leader launched just before it died may still be on its way: so many tries, some six seconds. */
const PATIENT_TRIES = 6;
/** Until a restart that may not be made yet is asked for again, milliseconds. */
const HELD_MS = 15_000;

/**
 * One agent in the hands of the process that leads: its state, the line to its keeper and the mail on it. What happens to
 * it goes through one mailbox; its waits are timers, so it holds up nobody else (actors.md §6).
 */
export class AgentKeeper implements Disposable {
  readonly agent: string;
  readonly #deps: AgentKeeperDeps;
  readonly #epoch: number;
  readonly #happenings = new SerialQueue();
  readonly #timers: WorkerTimers;
  #state: WorkerState;
  #policy: WorkerPolicy;
  #client: AgentKeeperClient | null = null;
  #problem: StartProblem | null = null;
  #receipt: StopReceipt | null = null;
  #tries = 0;
  /** The newest end that was heard; it stays in the record until the next run's keeper is there. */
  #heardExit: ExitRecord | null = null;
  #disposed = false;

  /** `state` is what the session's log tells of it so far. */
  constructor(
    agent: string,
    begin: { readonly state: WorkerState; readonly policy: WorkerPolicy; readonly epoch: number },
    deps: AgentKeeperDeps,
  ) {
    this.agent = agent;
    this.#deps = deps;
    this.#epoch = begin.epoch;
    this.#state = begin.state;
    this.#policy = begin.policy;
    this.#timers = new WorkerTimers(deps.clock, (happening) => {
      this.#hear(async () => ((await this.#isHeld(happening)) ? [] : [happening]));
    });
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Whether mail can be handed to its keeper now. */
  get attached(): boolean {
    return this.#client !== null;
  }

  /** Starts it unless it runs or starts; gives why it could not, or null. */
  async start(): Promise<StartProblem | null> {
    return await this.#happenings.run(async () => {
      this.#problem = null;
      await this.#process([{ kind: 'startRequested' }]);
      return this.#problem;
    });
  }

  /** Takes over what the log and its keeper's record tell (lifecycle §7). A restart that is due waits `staggerMs` more. */
  async adopt(staggerMs: number): Promise<void> {
    await this.#happenings.run(async () => {
      const state = this.#state;
      if (state.kind === 'backoff' || state.kind === 'parked') {
        const left = Math.max(0, state.until - this.#deps.clock.now());
        const timer = state.kind === 'parked' ? 'park' : 'backoff';
        this.#timers.arm({ kind: 'armTimer', timer, delayMs: left + staggerMs });
      }
      await this.#process(await this.#judge(await this.#deps.look(this.agent)));
    });
  }

  /** Hears of an end that its keeper has recorded and not told yet, as everybody who reads the files has already. */
  async catchUp(): Promise<void> {
    await this.#happenings.run(async () => {
      const record = isLiving(this.#state) ? (await this.#deps.look(this.agent))?.record : undefined;
      const exit = record?.attempts.at(-1)?.exit ?? null;
      await this.#process(record === undefined || exit === null ? [] : this.#judgeExit(exit, record.started));
    });
  }

  /** Runs or presses on the stop ladder; also ends a wait for a restart. Null where no keeper could be asked. */
  async stop(requestedBy: string, force: boolean): Promise<StopReceipt | null> {
    return await this.#happenings.run(async () => {
      this.#receipt = null;
      await this.#process([{ kind: 'stopRequested', by: requestedBy, force }]);
      return this.#receipt;
    });
  }

  /** Ends a wait for a restart, or for the end of a rate limit, now; false where it does not wait. */
  async skipWait(): Promise<boolean> {
    return await this.#happenings.run(async () => {
      const { kind } = this.#state;
      const waits = kind === 'backoff' || kind === 'parked';
      if (waits) {
        await this.#process([{ kind: kind === 'parked' ? 'parkElapsed' : 'backoffElapsed' }]);
      }
      return waits;
    });
  }

  /** Puts mail into its keeper's spool. Rejects with a `ControlError` where that is not certain. */
  async deliver(items: readonly MailItem[]): Promise<void> {
    await this.#mail().request('deliver', { items });
  }

  /** Takes back what it did not get yet; gives what was taken back. Rejects with a `ControlError`. */
  async withdraw(seqs: readonly number[]): Promise<readonly number[]> {
    return await this.#mail().request('withdraw', { seqs });
  }

  /** Tells its keeper what the log has by now. A line that breaks loses nothing: the next one begins with that number. */
  async tellTaken(upTo: number): Promise<void> {
    await this.#client?.request('taken', { upTo }).catch((error: unknown) => {
      this.#deps.logger.debug('not told what was taken', { agent: this.agent, error: errorText(error) });
    });
  }

  /** Resolves when what was begun is done. */
  async idle(): Promise<void> {
    await this.#happenings.run(() => undefined);
  }

  /** Lets go of keeper and timers; the agent goes on. */
  dispose(): void {
    this.#disposed = true;
    this.#timers.dispose();
    this.#letGo();
  }

  async #isHeld({ kind }: WorkerHappening): Promise<boolean> {
    const isHeld = kind === 'backoffElapsed' && this.#state.kind === 'backoff' && !(await this.#deps.mayStart());
    if (isHeld) {
      this.#timers.arm({ kind: 'armTimer', timer: 'backoff', delayMs: HELD_MS });
    }
    return isHeld;
  }

  #mail(): AgentKeeperClient {
    if (this.#client === null) {
      throw new Error(`The keeper of ${this.agent} is not connected.`);
    }
    return this.#client;
  }

  #letGo(): void {
    const client = this.#client;
    if (client !== null) {
      this.#client = null;
      client.dispose();
      this.#deps.listener.detached(this.agent);
    }
  }

  #hear(find: () => Promise<readonly WorkerHappening[]>): void {
    this.#happenings
      .run(async () => {
        if (!this.#disposed) {
          await this.#process(await find());
        }
      })
      .catch((error: unknown) => {
        this.#deps.logger.error('agent event failed', { agent: this.agent, error: errorText(error) });
        this.#judgeLater();
      });
  }

  async #process(happenings: readonly WorkerHappening[]): Promise<void> {
    const waiting = [...happenings];
    for (let next = waiting.shift(); next !== undefined && !this.#disposed; next = waiting.shift()) {
      if (next.kind === 'exited' && !this.#isNewEnd(next.exit)) {
        // The end of the run before, heard again while the next one starts.
        this.#judgeLater();
        continue;
      }
      const from = this.#state;
      const { state, effects } = transition(from, { ...next, at: this.#deps.clock.now() }, this.#policy);
      this.#state = state;
      if (state !== from) {
        await this.#deps.listener.moved(this.agent, { from, to: state, happening: next });
      }
      for (const effect of effects) {
        waiting.push(...(await this.#perform(effect)));
      }
    }
  }

  #isNewEnd(exit: ExitRecord): boolean {
    const before = this.#heardExit;
    this.#heardExit = exit;
    return before?.at !== exit.at || before.code !== exit.code || before.signal !== exit.signal;
  }

  async #perform(effect: WorkerEffect): Promise<readonly WorkerHappening[]> {
    switch (effect.kind) {
      case 'spawn':
        return await this.#spawn();
      case 'requestStop':
        return await this.#requestStop(effect);
      case 'probe':
        return [];
      case 'armTimer':
        this.#timers.arm(effect);
        return [];
      case 'cancelTimers':
        this.#timers.cancel();
        return [];
      case 'recordExit':
        // The move that carries it was told already.
        return [];
      case 'release':
        this.#letGo();
        return [];
    }
  }

  async #spawn(): Promise<readonly WorkerHappening[]> {
    const there = await this.#deps.look(this.agent);
    if (there?.keeper === 'alive') {
      // One that was launched by a leader before us; a second one could not listen.
      return await this.#judge(there);
    }
    if (there !== null) {
      await untilKeeperLeft(there.record, this.#epoch, this.#deps);
    }
    const planned = await this.#deps.planLaunch(this.agent);
    if (!planned.ok) {
      return this.#failed(planned.error);
    }
    const { spec, policy } = planned.value;
    this.#policy = policy;
    const ready = await this.#deps.launch({ ...spec, epoch: this.#epoch });
    if (!ready.ready) {
      return this.#failed({ cause: await this.#causeOfFailure(), text: ready.message });
    }
    return [{ kind: 'spawned', process: ready.process }, ...(await this.#reach(ready.endpoint, spec.nonce))];
  }

  #failed(problem: StartProblem): readonly WorkerHappening[] {
    this.#problem = problem;
    return [{ kind: 'spawnFailed', ...problem }];
  }

  async #causeOfFailure(): Promise<ExitClass> {
    const facts = await this.#deps.look(this.agent).catch(() => null);
    // Without a record the failure has no finer name; its text is the keeper's anyway.
    return facts?.record.attempts.at(-1)?.exit?.class ?? 'never started';
  }

  async #requestStop(effect: Extract<WorkerEffect, { kind: 'requestStop' }>): Promise<readonly WorkerHappening[]> {
    try {
      const running = effect.again ? null : ((await this.#client?.request('beat', null))?.stop ?? null);
      const order = { requestedBy: effect.by, force: effect.force };
      this.#receipt = running ?? (await this.#client?.request('stop', order)) ?? null;
      return [];
    } catch (error) {
      return this.#unreachable(error);
    }
  }

  /** What its keeper's record and the machine say about it now, and a line to its keeper where there is one to reach. */
  async #judge(facts: KeeperFacts | null): Promise<readonly WorkerHappening[]> {
    const isOpen = isLiving(this.#state);
    if (facts === null) {
      return isOpen ? this.#judgeNothing() : [];
    }
    const { record } = facts;
    const exit = record.attempts.at(-1)?.exit ?? null;
    if (exit !== null) {
      return isOpen ? this.#judgeExit(exit, record.started) : [];
    }
    if (facts.keeper === 'alive') {
      const alive: readonly WorkerHappening[] =
        record.process === null ? [] : [{ kind: 'provenAlive', process: record.process }];
      return [...alive, ...(await this.#reach(record.endpoint, record.nonce))];
    }
    if (facts.keeper === 'unknown' || facts.process === 'unknown') {
      return [{ kind: 'ownershipLost' }];
    }
    // Also over a dead process: only a keeper ends the children that it left, and closes the record.
    return await this.#takeOver(facts);
  }

  #judgeNothing(): readonly WorkerHappening[] {
    if (this.#tries >= PATIENT_TRIES) {
      return [{ kind: 'provenDead', exit: null }];
    }
    this.#judgeLater();
    return [];
  }

  #judgeExit(exit: ExitRecord, started: string): readonly WorkerHappening[] {
    if (Date.parse(exit.at) >= Date.parse(started)) {
      return [{ kind: 'exited', exit }];
    }
    // A keeper that is only just starting still names the end of the run before.
    this.#judgeLater();
    return [];
  }

  async #takeOver(facts: KeeperFacts): Promise<readonly WorkerHappening[]> {
    const spec = await this.#deps.takeOverSpec(this.agent, facts);
    const ready = await this.#deps.launch({ ...spec, epoch: this.#epoch });
    if (!ready.ready) {
      this.#deps.logger.warn('keeper not replaced', { agent: this.agent, reason: ready.message });
      this.#judgeLater();
      return [];
    }
    const alive: readonly WorkerHappening[] =
      ready.process === null || facts.process !== 'alive' ? [] : [{ kind: 'provenAlive', process: ready.process }];
    return [...alive, ...(await this.#reach(ready.endpoint, spec.nonce))];
  }

  /** Opens the line to a living keeper; what it knows already is heard at once. */
  async #reach(endpoint: string, nonce: string): Promise<readonly WorkerHappening[]> {
    this.#letGo();
    try {
      const client = await this.#deps.connect({ endpoint, nonce, epoch: this.#epoch });
      this.#listen(client);
      const mail = await client.request('attach', { taken: this.#deps.taken(this.agent) });
      this.#client = client;
      this.#tries = 0;
      this.#deps.listener.attached(this.agent, mail);
      const { exit } = await client.request('beat', null);
      const ready: readonly WorkerHappening[] = mail.mailbox.connectedAt === null ? [] : [{ kind: 'becameReady' }];
      return [...ready, ...(exit === null ? [] : [{ kind: 'exited', exit } as const])];
    } catch (error) {
      return this.#unreachable(error);
    }
  }

  #listen(client: AgentKeeperClient): void {
    const { agent } = this;
    const { listener } = this.#deps;
    client.on('accepted', ({ messages }) => {
      listener.accepted(agent, messages);
    });
    client.on('handed', ({ seqs, redelivered }) => {
      listener.handed(agent, seqs, redelivered);
    });
    client.on('acked', ({ seqs }) => {
      listener.acked(agent, seqs);
    });
    client.on('unfit', ({ seq, reason }) => {
      listener.unfit(agent, seq, reason);
    });
    client.on('connected', ({ endpoint }) => {
      listener.connection(agent, endpoint);
      this.#hear(async () => Promise.resolve([{ kind: 'becameReady' }]));
    });
    client.on('disconnected', () => {
      listener.connection(agent, null);
    });
    this.#listenToLife(client);
  }

  #listenToLife(client: AgentKeeperClient): void {
    client.on('exit', (exit) => {
      this.#hear(async () => Promise.resolve([{ kind: 'exited', exit }]));
    });
    client.on('stopStep', (receipt) => {
      this.#receipt = receipt;
      const step = receipt.steps.at(-1)?.step;
      this.#hear(async () => Promise.resolve(step === undefined ? [] : [{ kind: 'stopStepTaken', step }]));
    });
    client.onClose(() => {
      if (this.#client === client) {
        this.#client = null;
        this.#deps.listener.detached(this.agent);
        this.#hear(async () => await this.#judgeIfOpen());
      }
    });
  }

  #unreachable(error: unknown): readonly WorkerHappening[] {
    const code = errorCode(error);
    if (code === 'stale-epoch') {
      return [{ kind: 'ownershipLost' }];
    }
    // An agent that ended while it was asked is no trouble; the next look tells how it ended.
    const level = code === 'ended' || code === 'closed' ? 'debug' : 'warn';
    this.#deps.logger[level]('keeper of an agent does not answer', { agent: this.agent, error: errorText(error) });
    this.#judgeLater();
    return [];
  }

  #judgeLater(): void {
    const delayMs = Math.min(RETRY_MS.first * 2 ** this.#tries, RETRY_MS.last);
    this.#tries += 1;
    this.#timers.retry(delayMs, () => {
      this.#hear(async () => await this.#judgeIfOpen());
    });
  }

  async #judgeIfOpen(): Promise<readonly WorkerHappening[]> {
    return isLiving(this.#state) && this.#client === null ? await this.#judge(await this.#deps.look(this.agent)) : [];
  }
}

/** Its process may be there, as far as is known. */
function isLiving({ kind }: WorkerState): boolean {
  return kind === 'starting' || kind === 'running' || kind === 'stopping' || kind === 'unknown';
}
