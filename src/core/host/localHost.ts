import { delay } from '../base/clock';
import { type Disposable, DisposableStore } from '../base/disposable';
import { fail, ok } from '../base/result';
import type { Event } from '../base/emitter';
import type { ConfigDiagnostic } from '../protocol/config/workersConfig';
import type { FeaturesSnapshot } from '../protocol/features/featureSnapshot';
import type { FleetSnapshot, WorkerSnapshot } from '../protocol/snapshot';
import type { EventLine } from '../protocol/events/eventLine';
import type { FleetMoment } from '../protocol/events/fleetMoment';
import type { QueuedStart } from '../protocol/workers/queueDocument';
import { askedForIn } from '../protocol/workers/askedFor';
import { isOfSession, workerOfItem } from '../protocol/workers/itemIds';
import type { WorkerType } from '../protocol/workers/workerType';
import { momentAt } from '../eventlog/replayLog';
import { fleetLogIn } from '../eventlog/fleetLog';
import { runFiles, type RunFiles, type RunFilesRequest, type RunLogRequest } from '../readers/features/runFiles';
import { tailFile } from '../readers/tailFile';
import type { Lease } from '../registry/lease';
import { ensureWorkersDir, workerPaths } from '../registry/paths';
import { answerSuggestion, noteBtoTest } from './answerSuggestion';
import type {
  Dismissal,
  AnswerRequest,
  EngineReport,
  FuseReset,
  GarbageReport,
  HostApi,
  LogChunk,
  OpenCommand,
  Outcome,
  RequestAnswered,
  RetryRequest,
  SessionApi,
  Snoozed,
  SnoozeRequest,
  StartRequest,
  StartedWorker,
  StopAccepted,
  StopAllReport,
  StopRequest,
  SuggestionAnswer,
} from './api';
import { answerOrder } from './answerWorker';
import { collectGarbage, restoreGarbage } from './collectGarbage';
import { plainStart } from './enterRegistry';
import { dequeueStart, enqueueStart } from './startQueue';
import { EventReader, type EventsFrom } from './eventReader';
import type { FeaturesRequest, FollowRequest } from './featureDesk';
import { findWorker } from './findWorker';
import type { CallerEnv, HostContext } from './hostContext';
import { followOutput } from './followOutput';
import { followRunLog, type RunLogChunk } from './followRunLog';
import { LeaderDesk } from './leaderDesk';
import { logPathsOf } from './logPaths';
import { SessionRequests } from './session/sessionRequests';
import { openCommandOf } from './openCommand';
import { reportEngines } from './reportEngines';
import { dismissWorker } from './dismissWorker';
import { fleetFuseNamed } from '../protocol/fleetFuse';
import { agentFuseNamed, resetAgentFuse } from './resetAgentFuse';
import { resetFleetFuse } from './resetFleetFuse';
import { snoozeRefusal, snoozeWorkerItem } from './snoozeItem';
import { resetFuse } from './resetFuse';
import { stopByFlag } from './stopByFlag';
import { stopAll } from './stopAll';
import { type BeatRequest, RunWriter, type RunWritten, type TaskRequest } from './runWriter';
import { SnapshotPump } from './snapshotPump';
import { isolationFor, planStart } from './startWorker';
import { type AgentWhyReport, whyAgent } from './whyAgent';
import { type WhyReport, whyWorker } from './whyWorker';
import { type WorktreeApi, WorktreeDesk } from './worktreeDesk';

export interface LocalHostOptions {
  readonly context: HostContext;
  readonly lease: Lease;
  readonly endpoint: string;
  readonly nonce: string;
  readonly env: CallerEnv;
}

const LOG_LOOK_MS = 200;
const WAIT_LOOK_MS = 150;

/** The host of one root inside this process: looks go to the files, changes to whoever leads. */
export class LocalHost implements HostApi {
  readonly #context: HostContext;
  readonly #env: CallerEnv;
  readonly #pump: SnapshotPump;
  readonly #desk: LeaderDesk;
  readonly #owned = new DisposableStore();
  readonly #runs: RunWriter;
  readonly session: SessionApi;
  readonly worktrees: WorktreeApi;

  constructor({ context, ...options }: LocalHostOptions) {
    const { workersDir, fleet, clock, logger } = context;
    this.#context = context;
    this.#env = options.env;
    this.#runs = new RunWriter({ root: context.root, clock, env: options.env });
    this.#desk = new LeaderDesk({
      ...options,
      context,
      onChange: (workerId) => {
        this.#pump.hint(workerId === undefined ? null : (workerPaths(workersDir, workerId)?.folder ?? null));
      },
    });
    this.session = new SessionRequests({ host: context, ask: async (order) => this.#desk.session(order) });
    this.worktrees = new WorktreeDesk(context, async () => this.look());
    this.#pump = this.#owned.add(
      new SnapshotPump({
        workersDir,
        fleet,
        clock,
        logger,
        onLook: (look) => {
          this.#desk.recordWhereDue(look);
          this.#desk.refreshWhereDue(look);
          this.#desk.startWhereDue(look);
          this.#desk.measureWhereDue();
        },
      }),
    );
  }

  get root(): string {
    return this.#context.root;
  }

  get onDidChangeSnapshot(): Event<FleetSnapshot> {
    return this.#pump.onDidChange;
  }

  getSnapshot(): FleetSnapshot {
    return this.#pump.snapshot;
  }

  async look(): Promise<FleetSnapshot> {
    return await this.#pump.look();
  }

  async refresh(): Promise<FleetSnapshot> {
    const from = this.#context.clock.monotonic();
    const refreshed = await this.#desk.refreshRegistry();
    // The refresh has just read every worker under the lock; that is the truth of this very command.
    const snapshot = await this.#pump.look({ kind: 'since', at: from });
    const toldBy = (message: string): boolean => snapshot.problems.some((problem) => problem.message === message);
    if (!refreshed.ok && !toldBy(refreshed.error.message)) {
      // The table is still true, only the registry keeps its old words.
      this.#context.logger.warn(refreshed.error.message);
    }
    return snapshot;
  }

  async start(request: StartRequest): Promise<Outcome<StartedWorker>> {
    // What cannot be started must not even make a folder or take the lease.
    const folder = await this.#folderFor(request);
    return folder.ok ? await this.#desk.start(plainStart(request)) : folder;
  }

  async retry({ worker, requestedBy }: RetryRequest): Promise<Outcome<StartedWorker>> {
    const found = await this.find(worker);
    if (!found.ok) {
      return found;
    }
    const { workerId, entry } = found.value;
    const request = { ...askedForIn(entry), type: entry.type, requestedBy };
    const folder = await this.#folderFor(request);
    return folder.ok ? await this.#desk.start({ ...plainStart(request), retryOf: workerId }) : folder;
  }

  async resetFuse(name: string): Promise<Outcome<FuseReset>> {
    const reset = await this.#resetNamed(name);
    this.#pump.hint(null);
    return reset;
  }

  async #resetNamed(name: string): Promise<Outcome<FuseReset>> {
    const fuse = fleetFuseNamed(name);
    if (fuse !== null) {
      return await resetFleetFuse(fuse, this.#context);
    }
    const snapshot = await this.look();
    const ofAgent = agentFuseNamed(name, snapshot.session);
    if (ofAgent !== null) {
      return await resetAgentFuse(ofAgent, this.session, this.#context.surface);
    }
    const found = findWorker(name, snapshot);
    return found.ok ? await resetFuse(found.value, this.#context) : found;
  }

  async dismissWorker(worker: string): Promise<Outcome<Dismissal>> {
    const found = await this.find(worker);
    const dismissed = found.ok ? await dismissWorker(found.value, this.#context) : found;
    this.#pump.hint(null);
    return dismissed;
  }

  async snooze(request: SnoozeRequest): Promise<Outcome<Snoozed>> {
    const refusal = snoozeRefusal(request, this.#context.clock.now());
    if (refusal !== null) {
      return fail(refusal);
    }
    const { item, until } = request;
    if (isOfSession(item)) {
      const snoozed = await this.session.snooze(request);
      return snoozed.ok ? ok({ item, until, deniedAt: null }) : snoozed;
    }
    const found = await this.find(workerOfItem(item));
    const snoozed = found.ok ? await snoozeWorkerItem(request, found.value, this.#context) : found;
    this.#pump.hint(null);
    return snoozed;
  }

  async answerRequest(request: AnswerRequest): Promise<Outcome<RequestAnswered>> {
    const found = await this.find(request.worker);
    const order = found.ok ? answerOrder(request, found.value) : found;
    return order.ok ? await this.#desk.answer(order.value) : order;
  }

  async wake(worker: string): Promise<Outcome<StartedWorker>> {
    const found = await this.find(worker);
    return found.ok ? await this.#desk.wake(found.value.workerId) : found;
  }

  async engines(): Promise<readonly EngineReport[]> {
    return await reportEngines(this.#context, this.#env);
  }

  async openCommand(worker: string): Promise<Outcome<OpenCommand>> {
    const found = await this.find(worker);
    return found.ok ? await openCommandOf(found.value, this.#context, this.#env) : found;
  }

  async enqueue(request: StartRequest): Promise<Outcome<QueuedStart>> {
    const folder = await this.#folderFor(request);
    const queued = folder.ok ? await enqueueStart(request, this.#context) : folder;
    this.#pump.hint(null);
    return queued;
  }

  async dequeue(id: string): Promise<Outcome<QueuedStart>> {
    const taken = await dequeueStart(id, this.#context);
    this.#pump.hint(null);
    return taken;
  }

  async collectGarbage(options: { readonly dryRun: boolean }): Promise<Outcome<GarbageReport>> {
    return await collectGarbage(options, this.#context);
  }

  async restoreGarbage(): Promise<Outcome<GarbageReport>> {
    return await restoreGarbage(this.#context);
  }

  async stop(request: StopRequest): Promise<Outcome<StopAccepted>> {
    const found = await this.find(request.worker);
    if (!found.ok) {
      return found;
    }
    const stopped = await this.#desk.stop(request);
    const isDiskFull = !stopped.ok && stopped.error.code === 'disk-full';
    return isDiskFull ? ((await stopByFlag(found.value)) ?? stopped) : stopped;
  }

  async stopAll(request: Omit<StopRequest, 'worker'>): Promise<StopAllReport> {
    return await stopAll(request, this);
  }

  async listTypes(): Promise<readonly WorkerType[]> {
    return await this.#context.types.listed();
  }

  async configDiagnostics(): Promise<readonly ConfigDiagnostic[]> {
    return (await this.#context.types.loadConfig()).diagnostics;
  }

  async answerSuggestion(answer: SuggestionAnswer): Promise<Outcome<StartedWorker | null>> {
    const { suggestions } = await this.look();
    const { requestedBy } = answer;
    const start = async (type: string): Promise<Outcome<StartedWorker>> => this.start({ type, requestedBy });
    const outcome = await answerSuggestion(answer, { host: this.#context, suggestions, start });
    const { leader } = await this.look();
    // Where nobody leads there is nobody to write it down; suggestions.json keeps the answer itself.
    if (outcome.ok && leader !== null) {
      await this.#desk.answered({ id: answer.id, accepted: answer.accept });
    }
    return outcome;
  }

  async noteBtoTest(): Promise<Outcome<null>> {
    return await noteBtoTest(this.#context);
  }

  async find(worker: string): Promise<Outcome<WorkerSnapshot>> {
    return findWorker(worker, await this.look());
  }

  followLog(name: string, tailBytes: number, listener: (chunk: LogChunk) => void): Disposable {
    const paths = logPathsOf(name, { workersDir: this.#context.workersDir, session: this.getSnapshot().session });
    if (paths === null) {
      throw new Error(`"${name}" is no worker id and no session agent. Copy one from the status table.`);
    }
    const tail = tailFile({
      path: paths.logFile,
      tailBytes,
      clock: this.#context.clock,
      intervalMs: LOG_LOOK_MS,
      onChunk: listener,
    });
    const follow = followOutput({ ...this.#context, keeperFile: paths.keeperFile });
    return {
      dispose() {
        follow.dispose();
        tail.dispose();
      },
    };
  }

  async why(worker: string): Promise<Outcome<WhyReport>> {
    const found = await this.find(worker);
    return found.ok ? ok(await whyWorker(found.value)) : found;
  }

  async whyAgent(agent: string): Promise<Outcome<AgentWhyReport>> {
    return await whyAgent(agent, await this.look());
  }

  async readEvents(from: EventsFrom, listener: (event: EventLine) => void): Promise<void> {
    await new EventReader(this.#context).read(from, listener);
  }

  followEvents(from: EventsFrom, listener: (event: EventLine) => void): Disposable {
    return new EventReader(this.#context).follow(from, listener);
  }

  async fleetAt(time: number): Promise<FleetMoment> {
    return await momentAt(fleetLogIn(this.#context.workersDir), time);
  }

  async beat(request: BeatRequest): Promise<Outcome<RunWritten>> {
    return await this.#runs.beat(request);
  }

  async setTask(request: TaskRequest): Promise<Outcome<RunWritten>> {
    return await this.#runs.setTask(request);
  }

  async features(request: FeaturesRequest): Promise<FeaturesSnapshot> {
    return await this.#context.features.look(request);
  }

  followFeatures(request: FollowRequest, listener: (snapshot: FeaturesSnapshot) => void): Disposable {
    return this.#context.features.follow(request, listener);
  }

  followRunLog(request: RunLogRequest, tailBytes: number, listener: (chunk: RunLogChunk) => void): Disposable {
    return followRunLog(request, { ...this.#context, tailBytes }, listener);
  }

  async runFiles(request: RunFilesRequest): Promise<RunFiles> {
    return await runFiles(this.root, request);
  }

  async waitForEnd(workerId: string, signal: AbortSignal): Promise<WorkerSnapshot> {
    for (;;) {
      signal.throwIfAborted();
      const { workers } = await this.#pump.look({ kind: 'active', folders: new Set(), watched: false });
      const worker = workers.find((candidate) => candidate.workerId === workerId);
      if (worker === undefined) {
        throw new Error(`Worker ${workerId} is no longer in the registry; look into ${this.#context.workersDir}.`);
      }
      if (worker.endedAt !== null) {
        return worker;
      }
      await delay(this.#context.clock, WAIT_LOOK_MS);
    }
  }

  async watch(): Promise<void> {
    await this.#pump.start();
  }

  async lead(): Promise<void> {
    // The lease and the log lie in the workers folder, so whoever must not touch that cannot lead.
    if (this.#context.trusted && this.#context.refused === null) {
      await this.#desk.lead();
    }
  }

  async takeLead(): Promise<Outcome<null>> {
    const { trusted, refused } = this.#context;
    if (!trusted) {
      return fail({ code: 'untrusted', message: 'An untrusted window never leads. Trust this workspace first.' });
    }
    return refused === null ? await this.#desk.takeLead() : fail({ code: 'unsafe-root', message: refused });
  }

  async shutdown(): Promise<void> {
    this.#owned.dispose();
    await this.#desk.close();
  }

  dispose(): void {
    void this.shutdown();
  }

  /** The workers folder, made for a start that was validated. */
  async #folderFor(request: StartRequest): Promise<Outcome<string>> {
    const plan = await planStart(request, this.#context, this.#env);
    const isolation = plan.ok ? await isolationFor(plan.value, request, { host: this.#context, env: this.#env }) : plan;
    return isolation.ok ? await ensureWorkersDir(this.#context.workersDir) : isolation;
  }
}
