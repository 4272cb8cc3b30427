import { errorText } from '../base/errorText';
import { fail, ok } from '../base/result';
import { Gate } from '../base/gate';
import type { WorkerFacts } from '../protocol/workerFacts';
import type { Lease } from '../registry/lease';
import type { Supervisor } from '../supervisor/supervisor';
import { type ControlServer, serveControl } from '../system/controlServer';
import { ControlError } from '../system/controlMessage';
import { removeDeadSockets } from '../system/deadSockets';
import { ensurePrivateFolder } from '../system/runtimeDir';
import type {
  Outcome,
  Refusal,
  RequestAnswered,
  SessionAccepted,
  StartedWorker,
  StopAccepted,
  StopRequest,
} from './api';
import { type AnswerOrder, answerWorker } from './answerWorker';
import { plainStart, type StartOrder } from './enterRegistry';
import type { FleetLook } from './fleetReader';
import type { CallerEnv, HostContext } from './hostContext';
import { FollowUps } from './followUps';
import { throughLeader } from './leaderLink';
import { Leadership } from './leadership';
import { refreshDocument, refreshedEntry } from './refreshDocument';
import { Scheduler } from './scheduler';
import { SessionDesk } from './session/sessionDesk';
import type { SentSessionOrder, SessionOrder } from './session/sessionOrder';
import { startWorker } from './startWorker';
import { isClaimLeft, isStopLeft } from './leftBehind';
import { type StopContext, stopWorker } from './stopWorker';
import { wakeWorker } from './wakeWorker';
import { supervisorFor } from './supervisorFor';

export interface LeaderDeskOptions {
  readonly context: HostContext;
  readonly lease: Lease;
  /** Where others reach this process while it leads, with its secret. */
  readonly endpoint: string;
  readonly nonce: string;
  /** The environment of this process, for its own requests. */
  readonly env: CallerEnv;
  /** Called when something changed that a look would show; with the worker's id where only one is concerned. */
  readonly onChange: (workerId?: string) => void;
}

/** Everything that only the leader carries out, as it travels to it. */
export type LeaderRequest =
  | { readonly method: 'start'; readonly params: StartParams }
  | { readonly method: 'stop'; readonly params: StopRequest }
  | { readonly method: 'answered'; readonly params: SuggestionAnswered }
  | { readonly method: 'answer'; readonly params: AnswerOrder }
  | { readonly method: 'wake'; readonly params: WakeParams }
  | { readonly method: 'handOver'; readonly params: null }
  | { readonly method: 'session'; readonly params: SentSessionOrder };

interface WakeParams {
  readonly workerId: string;
  readonly env: CallerEnv;
}

interface SuggestionAnswered {
  readonly id: string;
  readonly accepted: boolean;
}

/** `env` is the environment of whoever asks. */
interface StartParams {
  readonly order: StartOrder;
  readonly env: CallerEnv;
}

/** A start waits for the disk and for two programs to come up. So many wait at once, and go into one write of the registry. */
const CHANGES_AT_ONCE = 20;

/**
 * Everything that only the leader does: start, stop, adopt, keep the registry true. Requests of this process are
 * carried out here while it leads and go to the leader otherwise (lifecycle §6).
 */
export class LeaderDesk {
  readonly #options: LeaderDeskOptions;
  readonly #leadership: Leadership;
  readonly #supervisor: Supervisor;
  readonly #scheduler: Scheduler;
  readonly #followUps: FollowUps;
  readonly #session: SessionDesk;
  /** The registry's lock keeps changes apart; what takes its time is the start of processes, and those can overlap. */
  readonly #changes = new Gate(CHANGES_AT_ONCE);
  #server: ControlServer | null = null;
  #refresh: Promise<void> | null = null;
  #measuring: Promise<void> | null = null;

  constructor(options: LeaderDeskOptions) {
    const { lease, context } = options;
    this.#options = options;
    this.#supervisor = supervisorFor(context);
    this.#supervisor.onDidChange((workerId) => {
      options.onChange(workerId);
    });
    this.#scheduler = new Scheduler({
      context,
      leads: async () => (await this.#ownEpoch()) !== null,
      start: async (type) => this.start(plainStart({ type, requestedBy: context.surface })),
    });
    this.#followUps = new FollowUps({
      context,
      start: async (order) => this.start(order),
      wake: async (workerId) => this.wake(workerId),
    });
    this.#session = new SessionDesk({
      host: context,
      lease,
      onChange: () => {
        options.onChange();
      },
    });
    this.#leadership = new Leadership({
      lease,
      clock: context.clock,
      logger: context.logger,
      onGained: async (epoch) => this.#adopt(epoch),
      onLost: () => {
        context.logger.info('Another window or program leads this project now.');
        this.#supervisor.releaseAll();
        this.#session.release();
        context.journal.close();
        options.onChange();
      },
    });
  }

  /** Wants to lead from now on. Serves the leader's pipe first, so that a lease never names a pipe nobody serves. */
  async lead(): Promise<void> {
    await ensurePrivateFolder(this.#options.context.runtimeDir);
    this.#server ??= await serveControl({
      endpoint: this.#options.endpoint,
      nonce: this.#options.nonce,
      minEpoch: () => 0,
      methods: {
        start: async (params) => this.#serve({ method: 'start', params: params as StartParams }),
        stop: async (params) => this.#serve({ method: 'stop', params: params as StopRequest }),
        answered: async (params) => this.#serve({ method: 'answered', params: params as SuggestionAnswered }),
        answer: async (params) => this.#serve({ method: 'answer', params: params as AnswerOrder }),
        wake: async (params) => this.#serve({ method: 'wake', params: params as WakeParams }),
        handOver: async () => this.#handOver(),
        session: async (params) => this.#serve({ method: 'session', params: params as SentSessionOrder }),
      },
    });
    await this.#leadership.want();
    const { runtimeDir, clock, logger } = this.#options.context;
    const removed = await removeDeadSockets(runtimeDir, clock.now());
    if (removed > 0) {
      logger.info('Removed the control sockets of processes that are gone.', { removed });
    }
  }

  /** Starts a worker, be it asked for, in place of another one, or out of the queue. */
  async start(order: StartOrder): Promise<Outcome<StartedWorker>> {
    const params: StartParams = { order, env: this.#options.env };
    return await this.#perform<StartedWorker>({ method: 'start', params });
  }

  async stop(params: StopRequest): Promise<Outcome<StopAccepted>> {
    return await this.#perform<StopAccepted>({ method: 'stop', params });
  }

  /** Hands a person's answer to a worker's program. */
  async answer(params: AnswerOrder): Promise<Outcome<RequestAnswered>> {
    return await this.#perform<RequestAnswered>({ method: 'answer', params });
  }

  /** Lets a parked worker go on. */
  async wake(workerId: string): Promise<Outcome<StartedWorker>> {
    return await this.#perform<StartedWorker>({ method: 'wake', params: { workerId, env: this.#options.env } });
  }

  /** Leads from now on in place of whoever does; for a process that wants to lead. Who leads already goes on. */
  async takeLead(): Promise<Outcome<null>> {
    const asked = await this.#perform<null>({ method: 'handOver', params: null });
    if (!asked.ok) {
      return asked;
    }
    await this.#leadership.check();
    const message = 'Another window or program took the lead meanwhile. Try again.';
    return this.#leadership.epoch === null ? fail<Refusal>({ code: 'not-leader', message }) : ok(null);
  }

  /** Has the leader write down what a person made of a suggestion. */
  async answered(params: SuggestionAnswered): Promise<Outcome<null>> {
    return await this.#perform<null>({ method: 'answered', params });
  }

  /** Carries out what is asked about the session and its agents. */
  async session(order: SessionOrder): Promise<Outcome<SessionAccepted>> {
    const params: SentSessionOrder = { order, env: this.#options.env };
    return await this.#perform<SessionAccepted>({ method: 'session', params });
  }

  /** The status protocol on the registry: refresh and prune under the lock; needs no lease (lifecycle §6). */
  async refreshRegistry(): Promise<Outcome<null>> {
    const { registry, fleet, clock, logger, refused } = this.#options.context;
    if (refused !== null) {
      // A look says so; nothing in there is read or written.
      return { ok: true, value: null };
    }
    const written = await registry.update(
      async (document) => refreshDocument(document, async (entry) => fleet.factsOf(entry), clock.now()),
      { create: false },
    );
    if (!written.ok) {
      return written;
    }
    if (written.value.recovered !== null) {
      logger.warn(written.value.recovered.message);
    }
    return { ok: true, value: null };
  }

  /** The leader writes the registry whenever a look shows that it lags behind the workers' own words. */
  refreshWhereDue({ facts, snapshot }: FleetLook): void {
    const lags = [...facts.values()].some(
      (one) => one.rowProblem === null && refreshedEntry(one, snapshot.at) !== one.entry,
    );
    if (!lags || this.#leadership.epoch === null || this.#refresh !== null) {
      return;
    }
    this.#refresh = this.#refreshAndTell().finally(() => {
      this.#refresh = null;
    });
  }

  /** The leader writes down what others did and what happened while nobody led. */
  recordWhereDue(look: FleetLook): void {
    if (this.#leadership.epoch !== null) {
      this.#options.context.journal.found(look);
    }
  }

  /** The leader starts what waits for a slot, what is retried by itself, and what the schedules say. */
  startWhereDue({ snapshot }: FleetLook): void {
    if (this.#leadership.epoch !== null) {
      this.#followUps.startWhereDue(snapshot);
      this.#scheduler.startWhereDue(snapshot);
    }
  }

  /** The leader measures the logs of all workers and agents together (lifecycle §9). */
  measureWhereDue(): void {
    if (this.#leadership.epoch !== null && this.#measuring === null) {
      this.#measuring = this.#measure().finally(() => {
        this.#measuring = null;
      });
    }
  }

  async close(): Promise<void> {
    await this.#refresh;
    await this.#measuring;
    await this.#followUps.idle();
    await this.#scheduler.idle();
    await this.#options.context.journal.idle();
    await this.#session.settle();
    this.#session.release();
    await this.#leadership.release();
    this.#supervisor.dispose();
    this.#server?.dispose();
  }

  async #measure(): Promise<void> {
    const { fuses, logger } = this.#options.context;
    try {
      if (await fuses.measureWhereDue()) {
        this.#options.onChange();
      }
    } catch (error) {
      logger.error('The logs could not be measured; it is tried again.', { reason: errorText(error) });
    }
  }

  async #refreshAndTell(): Promise<void> {
    const { logger } = this.#options.context;
    try {
      const outcome = await this.refreshRegistry();
      if (outcome.ok) {
        this.#options.onChange();
      } else {
        logger.warn(outcome.error.message);
      }
    } catch (error) {
      logger.error('The registry could not be refreshed; it is tried again.', { reason: errorText(error) });
    }
  }

  async #perform<T>(request: LeaderRequest): Promise<Outcome<T>> {
    // Each method gives what its public counterpart promises.
    const here = async (epoch: number): Promise<Outcome<T>> => (await this.#carryOut(request, epoch)) as Outcome<T>;
    const own = await this.#ownEpoch();
    if (own !== null) {
      return await here(own);
    }
    const { lease, context } = this.#options;
    return await throughLeader(request, here, {
      lease,
      clock: context.clock,
      leadFor: async (job) => this.#leadership.leadFor(job),
    });
  }

  /** The epoch of this process if it leads at this very moment; a process that was suspended learns it here. */
  async #ownEpoch(): Promise<number | null> {
    if (this.#leadership.epoch !== null) {
      await this.#leadership.check();
    }
    return this.#leadership.epoch;
  }

  async #serve(request: LeaderRequest): Promise<Outcome<unknown>> {
    return await this.#carryOut(request, await this.#epochOrRefuse());
  }

  async #handOver(): Promise<Outcome<null>> {
    await this.#epochOrRefuse();
    await this.#leadership.handOver();
    return ok(null);
  }

  async #epochOrRefuse(): Promise<number> {
    const epoch = await this.#ownEpoch();
    if (epoch === null) {
      throw new ControlError({ code: 'not-leader', message: 'This process does not lead the project (any more).' });
    }
    return epoch;
  }

  async #carryOut(request: LeaderRequest, epoch: number): Promise<Outcome<unknown>> {
    const { journal, clock } = this.#options.context;
    const from = clock.monotonic();
    return await this.#changing<unknown>(async () => {
      const means = this.#means(epoch);
      await journal.lead(epoch);
      switch (request.method) {
        case 'start':
          return await startWorker(request.params.order, { ...means, env: request.params.env });
        case 'stop':
          return await stopWorker(request.params, means);
        case 'answer':
          return await answerWorker(request.params, means);
        case 'wake':
          return await wakeWorker(request.params.workerId, { ...means, env: request.params.env });
        case 'answered':
          return await journal.require({ type: 'SuggestionAnswered', data: request.params });
        case 'handOver':
          // Nobody else led, so this process does.
          return ok(null);
        case 'session':
          return await this.#session.perform(request.params, epoch);
      }
    }).finally(async () => this.#finishForOnce(from, epoch));
  }

  /**
   * Who leads for one command looks at nothing afterwards, so what others did is written down here, and stops whose
   * keeper died are carried on.
   */
  async #finishForOnce(from: number, epoch: number): Promise<void> {
    const { journal, fleet, logger } = this.#options.context;
    try {
      if (this.#leadership.epoch === null) {
        const look = await fleet.look({ kind: 'since', at: from });
        journal.found(look);
        await this.#supervisor.adopt([...look.facts.values()].filter(isLeft), epoch);
        await this.#session.settle();
        this.#session.release();
      }
    } catch (error) {
      // The request itself is done; the next leader finds what was missed.
      logger.warn('The workers could not be looked at behind a request.', { reason: errorText(error) });
    }
    await journal.idle();
  }

  #means(epoch: number): StopContext {
    return { host: this.#options.context, supervisor: this.#supervisor, epoch };
  }

  async #changing<T>(change: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await this.#changes.run(change);
    } catch (error) {
      const { logger } = this.#options.context;
      logger.error('A request failed.', { reason: errorText(error) });
      return fail<Refusal>({ code: 'failed', message: `${errorText(error)} Look at the log of Rollcall.` });
    } finally {
      this.#options.onChange();
    }
  }

  /** Start-up is adoption (lifecycle §7): every keeper that the workers' records name is found again. */
  async #adopt(epoch: number): Promise<void> {
    const { fleet, journal, logger } = this.#options.context;
    await journal.lead(epoch);
    const look = await fleet.look({ kind: 'all' });
    const { facts } = look;
    logger.info('This process leads now.', { epoch, workers: facts.size });
    journal.found(look);
    await this.#session.lead(epoch);
    await this.#supervisor.adopt([...facts.values()], epoch);
    this.#options.onChange();
  }
}

/** What somebody must carry on who leads, be it for one command only. */
function isLeft(facts: WorkerFacts): boolean {
  return isStopLeft(facts) || isClaimLeft(facts);
}
