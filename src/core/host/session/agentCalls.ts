import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import { SerialQueue } from '../../base/serialQueue';
import { type CallFolder, callFolderIn, claimCall, forbidCall, removeCalls } from '../../mailbox/callFolder';
import type { AgentPaths } from '../../mailbox/sessionPaths';
import { type CallEnd, callEnd, callFailed } from '../../protocol/actors/callEnd';
import type { Message } from '../../protocol/actors/message';
import type { CallMoment, SessionMoment } from '../../protocol/actors/sessionMoment';
import type { ExitRecord } from '../../protocol/keeper/exitRecord';
import { readKeeper } from '../../readers/keeperFile';
import { lastLines } from '../../readers/lastLines';
import type { HostContext } from '../hostContext';
import type { LaunchOrder } from './agentLaunch';
import { CallKeepers } from './callKeepers';
import { planCall } from './callSpec';

export interface AgentCallsOptions {
  readonly host: HostContext;
  readonly sessionDir: string;
  readonly epoch: number;
  readonly moment: () => SessionMoment;
  /** How the agent would be launched now. */
  readonly launchOf: (agent: string) => LaunchOrder;
  /** Whether a process of it is there that can wait for an answer. */
  readonly isWaiting: (agent: string) => boolean;
  /** Writes the `CLIComplete` of the call with this number down. */
  readonly answer: (seq: number, message: Message, end: CallEnd) => Promise<void>;
}

/** A call without an answer, in the hands of this leader. */
interface OpenCall {
  readonly seq: number;
  readonly call: CallMoment;
  readonly agent: string;
  readonly place: CallFolder;
  readonly done: Promise<void>;
}

/** From its acceptance a call may run so long, milliseconds: its answer is due after 330 s (actors.md §4). */
const RUN_MS = 310_000;
/** The keeper's ladder gets so long on top; then the answer no longer waits for the end, milliseconds. */
const LADDER_MS = 12_000;
/** In less time no program gives an answer, milliseconds. */
const LEAST_MS = 1_000;
/** More calls than this one agent cannot mean. */
const MAX_OPEN = 16;
const TROUBLE_LINES = 50;

/**
 * What agents have the supervisor run for them (actors.md §4), one call of an agent at a time, each in a process tree
 * that a keeper of its own keeps. Which calls are open is what the log says, so another leader goes on with them; the
 * claim of a call's folder says who starts it, so nobody starts it twice.
 */
export class AgentCalls implements Disposable {
  readonly #options: AgentCallsOptions;
  readonly #keepers: CallKeepers;
  readonly #queues = new Map<string, SerialQueue>();
  readonly #open = new Map<number, OpenCall>();
  /** Why calls are ended before their time, by their number. */
  readonly #endedFor = new Map<number, string>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #timers = new Set<Disposable>();
  #begun = false;
  #disposed = false;

  constructor(options: AgentCallsOptions) {
    this.#options = options;
    this.#keepers = new CallKeepers(options.host, options.epoch);
  }

  /** Goes on with what the log left open, now that it is known which agents live. */
  begin(): void {
    this.#begun = true;
    for (const [seq, call] of this.#options.moment().calls) {
      this.#take(seq, call);
    }
  }

  /** This call is in the log now. */
  accepted(seq: number, call: CallMoment): void {
    if (this.#begun) {
      this.#take(seq, call);
    }
  }

  /** Ends what runs for the agent, because of a sentence for the answer; resolves when the answers are in the log, or late. */
  async end(agent: string, why: string): Promise<void> {
    const open = [...this.#open.values()].filter((call) => call.agent === agent);
    for (const { seq } of open) {
      this.#endedFor.set(seq, this.#endedFor.get(seq) ?? why);
    }
    if (open.length > 0) {
      const all = Promise.all(open.map(async ({ done }) => done));
      await Promise.all(open.map(async ({ place }) => this.#keepers.stop(place, 'rollcall')));
      await this.#within(all, LADDER_MS);
    }
  }

  /** Resolves when the starts that were begun are done. */
  async idle(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Lets go of what runs; it goes on, and the next leader with it. */
  dispose(): void {
    this.#disposed = true;
    this.#timers.forEach((timer) => {
      timer.dispose();
    });
    this.#keepers.dispose();
  }

  #take(seq: number, call: CallMoment): void {
    if (this.#open.has(seq)) {
      return;
    }
    const agent = call.message.from;
    const place = callFolderIn(this.#pathsOf(agent), seq, call);
    const queue = this.#queues.get(agent) ?? new SerialQueue();
    this.#queues.set(agent, queue);
    if ([...this.#open.values()].filter((one) => one.agent === agent).length >= MAX_OPEN) {
      this.#endedFor.set(
        seq,
        `More than ${String(MAX_OPEN)} calls wait already. Send it again when they are answered.`,
      );
    }
    const done = queue.run(async () => this.#answer({ seq, call, agent, place }));
    this.#open.set(seq, { seq, call, agent, place, done });
  }

  #pathsOf(agent: string): AgentPaths {
    return this.#options.launchOf(agent).paths;
  }

  async #answer(open: Omit<OpenCall, 'done'>): Promise<void> {
    const { seq, call, agent } = open;
    const end = await this.#carryOut(open).catch((error: unknown) => {
      this.#options.host.logger.error('a call was not carried out', { agent, reason: errorText(error) });
      return callFailed(`It could not be carried out: ${errorText(error)}. Send it again.`);
    });
    if (!this.#disposed) {
      await this.#options.answer(seq, call.message, end);
    }
    this.#open.delete(seq);
    this.#endedFor.delete(seq);
  }

  async #carryOut(open: Omit<OpenCall, 'done'>): Promise<CallEnd> {
    const { seq, call, agent, place } = open;
    const { host, isWaiting } = this.#options;
    const leftMs = Date.parse(call.sentAt) + RUN_MS - host.clock.now();
    if (!isWaiting(agent)) {
      this.#endedFor.set(
        seq,
        this.#endedFor.get(seq) ?? `${agent} does not run any more. Send it again from its next run.`,
      );
    }
    const { facts, problem } = await readKeeper(place.folder);
    if (facts !== null || problem !== null) {
      return await this.#goOn(open, leftMs);
    }
    const refusal = this.#endedFor.get(seq) ?? (leftMs < LEAST_MS ? TOO_LATE : null) ?? (await this.#stillRuns(open));
    return refusal === null ? await this.#start(open, leftMs) : callFailed(refusal);
  }

  /** What was answered without its end being seen must have ended before the next one begins. */
  async #stillRuns({ agent }: Omit<OpenCall, 'done'>): Promise<string | null> {
    const { root } = this.#options.host;
    const left = await removeCalls(root, this.#pathsOf(agent), async (folder) => {
      const { facts, problem } = await readKeeper(folder);
      return problem !== null || (facts !== null && (facts.keeper !== 'dead' || facts.process !== 'dead'));
    });
    return left === 0 ? null : 'An earlier call of this agent has not ended yet. Send it again in a minute.';
  }

  async #start(open: Omit<OpenCall, 'done'>, leftMs: number): Promise<CallEnd> {
    const { host, sessionDir, launchOf } = this.#options;
    const { seq, call, agent, place } = open;
    const nonce = host.randomHex(16);
    const launch = launchOf(agent);
    const planned = await planCall({ message: call.message, launch, sessionDir, place, nonce, leftMs }, host);
    if (!planned.ok) {
      return callFailed(planned.error);
    }
    const claim = { root: host.root, nonce, at: new Date(host.clock.now()).toISOString() };
    const claimed = await claimCall(place, claim);
    if (!claimed.ok) {
      return callFailed(claimed.error);
    }
    if (!claimed.value) {
      return await this.#goOn(open, leftMs);
    }
    return await this.#untilEnd(open, leftMs, async (onEnd) => {
      const stopped = this.#endedFor.get(seq);
      return stopped ?? (await this.#keepers.start({ place, sentAt: call.sentAt, onEnd }, planned.value));
    });
  }

  /** Somebody has started it, or was about to. */
  async #goOn(open: Omit<OpenCall, 'done'>, leftMs: number): Promise<CallEnd> {
    const { seq, call, place } = open;
    return await this.#untilEnd(open, leftMs, async (onEnd) => {
      await this.#keepers.adopt({ place, sentAt: call.sentAt, onEnd });
      if (this.#endedFor.has(seq)) {
        await this.#keepers.stop(place, 'rollcall');
      }
      return null;
    });
  }

  /** Begins it, or gives why that failed, and waits for its end; not for ever, because somebody waits for the answer. */
  async #untilEnd(
    { seq, place }: Omit<OpenCall, 'done'>,
    leftMs: number,
    begin: (onEnd: (exit: ExitRecord) => void) => Promise<string | null>,
  ): Promise<CallEnd> {
    let hear: (exit: ExitRecord) => void = () => undefined;
    const ended = new Promise<ExitRecord>((resolve) => {
      hear = resolve;
    });
    const trouble = await this.#tracked(begin(hear));
    if (trouble !== null) {
      await (this.#disposed ? undefined : forbidCall(place));
      return callFailed(trouble);
    }
    const exit = await this.#within(ended, Math.max(0, leftMs) + LADDER_MS);
    if (exit === null) {
      await forbidCall(place);
      await this.#keepers.stop(place, 'rollcall');
    }
    const lines = await lastLines(place.logFile, TROUBLE_LINES).catch(() => []);
    return callEnd({ exit, lines, endedFor: this.#endedFor.get(seq) ?? null }, RUN_MS / 1000);
  }

  /** What the promise gives, or null where that takes longer; nothing any more once this is disposed. */
  async #within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
    return await new Promise((resolve, reject) => {
      const timer = this.#options.host.clock.schedule(ms, () => {
        resolve(null);
      });
      this.#timers.add(timer);
      promise.then(resolve, reject).finally(() => {
        this.#timers.delete(timer);
        timer.dispose();
      });
    });
  }

  async #tracked<T>(starting: Promise<T>): Promise<T> {
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }
}

const TOO_LATE = 'It waited for an earlier call until its time was over. Send it again.';
