import { join } from 'node:path';
import { delay, type Clock } from '../core/base/clock';
import { ok, type Result } from '../core/base/result';
import type { AnswerRecord, RequestAnswer } from '../core/protocol/engines/keptEngine';
import type { KeeperBeat } from '../core/protocol/keeper/control';
import { classifyExit } from '../core/protocol/keeper/exitClass';
import { fuseText } from '../core/protocol/keeper/fuse';
import { BY_STOP_FLAG, type ExitRecord } from '../core/protocol/keeper/exitRecord';
import type { Attempt, KeeperRecord, OutputPosition } from '../core/protocol/keeper/keeperRecord';
import type { KeeperReady, KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import type { WorkerProcess } from '../core/protocol/keeper/processIdentity';
import type { StopReceipt } from '../core/protocol/keeper/stopReceipt';
import { ControlError } from '../core/system/controlMessage';
import type { ControlServer } from '../core/system/controlServer';
import { removeDeadTemps } from '../core/system/deadTemps';
import { environmentOf } from '../core/system/processIdentity';
import { secretValuesOf } from '../core/system/redact';
import { ensurePrivateFolder } from '../core/system/runtimeDir';
import { adoptProcess } from './adoptProcess';
import { exitText } from './exitText';
import { answerMethod } from './engine/answerMethod';
import { EngineRun } from './engine/engineRun';
import { firstNotes } from './firstNotes';
import { firstRecord } from './firstRecord';
import { BY_FUSE, FuseBox } from './fuseBox';
import { IsolatedRun, type PreparedRun, type RunEnd } from './isolatedRun';
import { openKeeperPipe } from './keeperPipe';
import { oomKills } from './oomEvidence';
import { RecordStore } from './recordStore';
import { PlainOutput } from './outputReader';
import { seldom } from './seldom';
import { paperworkOf } from './paperworkOf';
import type { Paperwork } from './paperwork';
import { startProcess, type StartRefusal, type Tree, type WatchedProcess } from './startProcess';
import { StopSequence } from './stopSequence';
import { treeMarker } from './treeMarker';
import { untilDiskTakes } from './untilDiskTakes';
import { outputPath, WorkerOutput } from './workerOutput';

/** What is left of the tree after its main process gets so long before it is ended, milliseconds. */
const LEFTOVER_MS = 2000;
const TREE_LOOK_MS = 100;
/** Who is in the tree is noted no more often than this while output flows, milliseconds. */
const REMEMBER_MS = 250;

/** Keeps one worker: from its start, or from the death of its earlier keeper, to its recorded end (lifecycle §1). */
export class Keeper {
  readonly #spec: KeeperSpec;
  readonly #clock: Clock;
  readonly #marker: string;
  readonly #papers: Paperwork;
  readonly #store: RecordStore;
  readonly #output: WorkerOutput;
  /** Only of a program that asks a model. */
  readonly #engine: EngineRun | null;
  readonly #isolation: IsolatedRun;
  readonly #oomKillsBefore = oomKills();
  #pipe: ControlServer | null = null;
  #tree: Tree | null = null;
  #stop: StopSequence | null = null;
  /** Told to nobody before it is on the disk: the keeper may die in between, and its successor records another end. */
  #safeExit: ExitRecord | null = null;
  #fuses: FuseBox | null = null;

  private constructor(spec: KeeperSpec, clock: Clock, record: KeeperRecord, secrets: readonly string[]) {
    this.#spec = spec;
    this.#clock = clock;
    this.#marker = treeMarker(spec.workerId, spec.folder);
    this.#isolation = new IsolatedRun(spec, record.isolation, clock);
    this.#store = new RecordStore(record, {
      path: join(spec.folder, 'keeper.json'),
      clock,
      onTrouble: (reason) => {
        this.#output.note(`The keeper's record cannot be written and will be tried again: ${reason}.`);
      },
    });
    this.#papers = paperworkOf(spec, clock, {
      record,
      onMailbox: (mailbox) => {
        void this.#store.update({ mailbox });
      },
      note: (text) => {
        this.#output.note(text);
      },
      judge: async (evidence) => (await this.#engine?.judge(evidence)) ?? { class: classifyExit(evidence) },
    });
    this.#engine = this.#engineOf(record, secrets);
    const rememberTree = seldom(clock, REMEMBER_MS, async () => this.#tree?.remember());
    this.#output = new WorkerOutput({
      folder: spec.folder,
      logFile: this.#papers.logFile,
      limits: spec.limits,
      keepsLogFile: record.isolation?.level === 'sandbox',
      reader: this.#engine?.output ?? new PlainOutput(secrets),
      position: record.output,
      clock,
      onPosition: async (output) => {
        await this.#store.update({ output, ...this.#fusesAfter(output), ...this.#engineRecord() });
      },
      onLook: async () => {
        this.#fuses?.notePeak();
        await this.#fuses?.noteSpent(this.#engine?.spentUsd ?? null);
        await this.#heedStopFlag();
        await rememberTree();
        await this.#mendPipe();
        await this.#mendFiles();
      },
    });
  }

  /** Prepares everything but the process. Rejects with a disk error when the worker's folder cannot be used. */
  static async open(spec: KeeperSpec, clock: Clock): Promise<Keeper> {
    // Who takes over was not there when the environment was made, and must hide the same values.
    const env = spec.adopt === null ? spec.command.env : environmentOf(spec.adopt.pid);
    const token = spec.mailbox === undefined ? [] : [spec.mailbox.token];
    const secrets = [...spec.secrets, ...token, ...secretValuesOf(env)];
    const record = await firstRecord(spec, secrets, new Date(clock.now()).toISOString());
    await ensurePrivateFolder(spec.runtimeDir);
    const keeper = new Keeper(spec, clock, record, secrets);
    keeper.#pipe = await keeper.#openPipe();
    await keeper.#papers.open();
    return keeper;
  }

  /**
   * Starts the process, or takes over the living one, and gives what to print: ready once the record is on the disk.
   * `run` of the answer ends with the recorded end. Rejects when the disk refuses before anything was started.
   */
  async start(): Promise<{ readonly answer: KeeperReady; readonly run: () => Promise<void> }> {
    const started = this.#spec.adopt === null ? await this.#spawn() : await this.#takeOver(this.#spec.adopt);
    if (!started.ok) {
      await this.#recordRefusal(started.error);
      return { answer: { ready: false, message: started.error.message }, run: async () => Promise.resolve() };
    }
    const { process } = started.value;
    const { endpoint } = this.#store.record;
    const tree = this.#treeOf(started.value);
    this.#tree = tree;
    this.#stop = this.#stopSequenceOf(tree);
    await this.#store.update({ process, attempts: this.#attemptsWith(process) });
    this.#fuses = process === null ? null : this.#fusesOf(process.pid, tree);
    this.#attachEngine(started.value);
    await this.#output.start();
    firstNotes(this.#store.record, this.#spec).forEach((note) => {
      this.#output.note(note);
    });
    this.#papers.watch(async () => {
      await this.#stop?.endLeftovers();
    });
    return {
      answer: { ready: true, endpoint, process },
      run: async () => {
        await this.#untilEnd(started.value);
      },
    };
  }

  async #spawn(): Promise<Result<WatchedProcess, StartRefusal>> {
    const prepared = await this.#isolation.prepare();
    await this.#store.create();
    await this.#papers.begin();
    const instead = this.#papers.instead();
    return instead === null ? await this.#startProcess(prepared) : ok(instead);
  }

  /** Goes on with a living process, or where it stood for something that may go on without it, puts another in its place. */
  async #takeOver(process: WorkerProcess): Promise<Result<WatchedProcess, StartRefusal>> {
    const isLeft = (await this.#isolation.treeOf(process, this.#marker).collect()).length > 0;
    const prepared = isLeft ? null : await this.#isolation.goOn();
    return prepared === null ? ok(adoptProcess(process, this.#clock)) : await this.#startProcess(prepared);
  }

  async #startProcess(prepared: PreparedRun): Promise<Result<WatchedProcess, StartRefusal>> {
    return await startProcess({
      ...prepared,
      moreEnv: this.#papers.moreEnv,
      folder: this.#spec.folder,
      outputPath: outputPath(this.#spec.folder),
      marker: this.#marker,
      kind: this.#spec.mailbox === undefined ? 'worker' : 'agent',
      keepsStdin: this.#spec.engine?.control === true,
    });
  }

  #engineOf({ engine: record, attempts }: KeeperRecord, secrets: readonly string[]): EngineRun | null {
    return record === undefined
      ? null
      : new EngineRun({
          record,
          clock: this.#clock,
          secrets,
          hungBefore: attempts.some(({ exit }) => exit?.class === 'never started'),
          onChange: (isUrgent) => {
            this.#output.saveSoon();
            if (isUrgent) {
              void this.#output.savePosition();
            }
          },
          onAnswered: () => {
            this.#output.lookSoon();
          },
          note: (text) => {
            this.#output.note(text);
          },
        });
  }

  #engineRecord(): Pick<KeeperRecord, 'engine'> {
    return this.#engine === null ? {} : { engine: this.#engine.record };
  }

  #attachEngine(watched: WatchedProcess): void {
    if (watched.process !== null && watched.stdin !== undefined) {
      this.#engine?.openInput(watched.stdin);
    }
    const { folder } = this.#spec;
    const already = this.#spec.adopt === null ? this.#output.bytesSeen : 0;
    const bytesSince = (): number => this.#output.bytesSeen - already;
    this.#engine?.watchStart({ folder, startedAt: this.#startedAt, outputBytes: bytesSince }, () => {
      void this.#stop?.endLeftovers();
    });
  }

  async #answer(given: RequestAnswer): Promise<AnswerRecord> {
    if (this.#engine === null) {
      throw new ControlError({ code: 'not-asked', message: 'This program asks nobody; there is nothing to answer.' });
    }
    const answer = this.#engine.answer(given);
    await this.#output.savePosition();
    return answer;
  }

  #treeOf(watched: WatchedProcess): Tree {
    return watched.process === null ? watched.tree : this.#isolation.treeOf(watched.process, this.#marker);
  }

  #attemptsWith(process: WorkerProcess | null): readonly Attempt[] {
    const { attempts } = this.#store.record;
    const last = attempts.at(-1);
    return this.#spec.adopt === null || last === undefined
      ? [...attempts, { process, startedAt: this.#now(), exit: null }]
      : [...attempts.slice(0, -1), { ...last, process: process === this.#spec.adopt ? last.process : process }];
  }

  #stopSequenceOf(tree: Tree): StopSequence {
    const options = {
      clock: this.#clock,
      tree,
      graces: this.#spec,
      ask: async () => {
        await this.#papers.askToStop();
        await this.#engine?.interrupt(tree);
      },
      onReceipt: async (stop: StopReceipt) => {
        await this.#store.update({ stop });
        this.#pipe?.broadcast('stopStep', stop);
      },
    };
    return new StopSequence(options, this.#store.record.stop);
  }

  /** When the process that it keeps was started, epoch milliseconds. */
  get #startedAt(): number {
    const { attempts, started } = this.#store.record;
    return Date.parse(attempts.at(-1)?.startedAt ?? started);
  }

  #fusesOf(pid: number, tree: Tree): FuseBox | null {
    const { fuses: record } = this.#store.record;
    return record === undefined
      ? null
      : new FuseBox({
          clock: this.#clock,
          record,
          startedAt: this.#startedAt,
          outputBytes: this.#spec.limits.rawBytes,
          pid,
          members: async () => await tree.collect(),
          onBlown: async (fuses, text) => {
            this.#output.note(`Fuse blown, so the worker is being ended: ${text}.`);
            await this.#store.update({ fuses });
            // A worker that is ended already, or whose stop runs, needs no second request.
            await this.#stop?.request(BY_FUSE, true).catch(() => undefined);
          },
        });
  }

  /** The fuses as they are with what was dropped of the output by now. */
  #fusesAfter({ droppedBytes }: OutputPosition): Pick<KeeperRecord, 'fuses'> {
    this.#fuses?.noteDropped(droppedBytes);
    return this.#fuses === null ? {} : { fuses: this.#fuses.record };
  }

  async #openPipe(): Promise<ControlServer> {
    const { endpoint, nonce } = this.#store.record;
    return await openKeeperPipe({
      endpoint,
      nonce,
      methods: { ...this.#papers.methods, answer: answerMethod(async (given) => await this.#answer(given)) },
      epoch: () => this.#store.record.epoch,
      onEpoch: (epoch) => {
        void this.#store.update({ epoch });
      },
      beat: () => this.#beat(),
      stop: async (requestedBy, force) => await this.#requestStop(requestedBy, force),
      onFollowed: (followed) => {
        this.#output.setFollowed(followed);
      },
    });
  }

  async #requestStop(requestedBy: string, force: boolean): Promise<StopReceipt> {
    if (this.#stop === null) {
      throw new Error('The worker is only just being started. Try again.');
    }
    return await this.#stop.request(requestedBy, force);
  }

  #beat(): KeeperBeat {
    const { process, stop } = this.#store.record;
    const { bytesSeen: outputBytes, lastOutputAt } = this.#output;
    return { process, outputBytes, lastOutputAt, stop, exit: this.#safeExit };
  }

  async #mendPipe(): Promise<void> {
    try {
      await this.#pipe?.ensureListening();
    } catch {
      // Without its folder there can be no socket; the next look tries again, the worker goes on meanwhile.
      await ensurePrivateFolder(this.#spec.runtimeDir).catch(() => undefined);
    }
  }

  /** Who asked may have raised nothing but the flag, or may have spoken while this process was frozen. */
  async #heedStopFlag(): Promise<void> {
    if (await this.#papers.isStopAsked()) {
      await this.#stop?.flagSeen();
    }
  }

  /** Files of a living worker that are damaged or deleted would hide it from everybody. */
  async #mendFiles(): Promise<void> {
    try {
      await this.#papers.mend();
      await this.#store.mend();
    } catch {
      // A full or read-only disk; the next look tries again, the worker goes on meanwhile.
    }
  }

  async #untilEnd(watched: WatchedProcess): Promise<void> {
    const end = await watched.ended;
    this.#fuses?.dispose();
    const at = this.#now();
    const requestedBy = this.#stop?.receipt?.requestedBy ?? null;
    const forced = this.#stop?.forced === true;
    await this.#endLeftovers();
    await this.#stop?.finish();
    await this.#output.finish();
    await this.#engine?.cleanUp();
    await this.#recordEnd(await this.#isolation.endOf(end), { at, requestedBy, forced });
  }

  /** The end of the output is the end of the tree, so nobody of it may be left behind. */
  async #endLeftovers(): Promise<void> {
    const deadline = this.#clock.monotonic() + LEFTOVER_MS;
    const aliveNow = async (): Promise<number> => (await this.#tree?.collect())?.length ?? 0;
    let ending = false;
    for (let alive = await aliveNow(); alive > 0; alive = await aliveNow()) {
      if (!ending && this.#clock.monotonic() >= deadline) {
        ending = true;
        this.#output.note(`Processes that outlived the worker are being ended: ${alive}.`);
        await this.#stop?.endLeftovers();
      }
      await delay(this.#clock, TREE_LOOK_MS);
    }
  }

  async #recordEnd(end: RunEnd, when: Pick<ExitRecord, 'at' | 'requestedBy' | 'forced'>): Promise<void> {
    const requestedBy = when.requestedBy ?? ((await this.#papers.isStopAsked()) ? BY_STOP_FLAG : null);
    const attempts = this.#store.record.attempts;
    const last = attempts.at(-1);
    const judged = await this.#papers.judge({
      ...end,
      started: last?.process !== null,
      stopRequested: requestedBy !== null,
      outOfMemory: end.outOfMemory || oomKills() > this.#oomKillsBefore,
    });
    const verdict = end.refusal === null ? judged : ({ class: 'config' } as const);
    const forced = when.forced || judged.reason !== undefined;
    const how = { ...verdict, ...this.#fuseThatEnded(requestedBy) };
    const exit: ExitRecord = { code: end.code, signal: end.signal, ...how, ...when, requestedBy, forced };
    await this.#writeEnd(exit, end.refusal ?? exitText(exit));
    await this.#close(last === undefined ? attempts : [...attempts.slice(0, -1), { ...last, exit }], exit);
  }

  #fuseThatEnded(requestedBy: string | null): Pick<ExitRecord, 'fuse'> {
    const blown = this.#fuses?.record.blown ?? null;
    return requestedBy === BY_FUSE && blown !== null ? { fuse: fuseText(blown) } : {};
  }

  async #recordRefusal(refusal: StartRefusal): Promise<void> {
    const at = this.#now();
    const exit = { code: null, signal: null, at, class: refusal.class, requestedBy: null, forced: false };
    await this.#writeEnd(exit, refusal.message);
    await this.#close([...this.#store.record.attempts, { process: null, startedAt: at, exit }], exit);
  }

  async #writeEnd(exit: ExitRecord, error: string): Promise<void> {
    await untilDiskTakes(this.#spec.folder, this.#clock, async () => {
      try {
        await this.#papers.writeEnd(exit, error);
        return true;
      } catch {
        // A full or read-only disk: tried again until it takes it, because nobody else knows this end.
        return false;
      }
    });
  }

  async #close(attempts: readonly Attempt[], exit: ExitRecord): Promise<void> {
    const isolation = await this.#isolation.finish(this.#papers.lastLines(), await this.#touchedFiles());
    await this.#isolation.remove();
    this.#store.unseal();
    await removeDeadTemps(this.#spec.folder, this.#clock.now());
    const output = this.#output.position;
    const parts = {
      ...this.#fusesAfter(output),
      ...(isolation === undefined ? {} : { isolation }),
      ...this.#engineRecord(),
    };
    await this.#store.settle({ attempts, output, ...parts });
    this.#safeExit = exit;
    await this.#papers.close();
    this.#output.close();
    this.#pipe?.broadcast('exit', exit);
    this.#pipe?.dispose();
  }

  /** The keeper's own files that somebody else has written to. */
  async #touchedFiles(): Promise<readonly string[]> {
    return [...((await this.#store.isTouched()) ? ['keeper.json'] : []), ...this.#output.touchedFiles()];
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
