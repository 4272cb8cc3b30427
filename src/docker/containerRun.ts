import { renameSync, writeFileSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { ContainerEnd, ContainerJob, ContainerOrder } from '../core/protocol/keeper/containerOrder';
import { createOptions } from './createOptions';
import { engineErrorText, refusalText, statusOf } from './engineErrors';
import { inTime } from './inTime';
import { LogPosition } from './logPosition';
import { openEngine } from './openEngine';

/** A short question to the engine, milliseconds. */
const ASK_MS = 5_000;
const CREATE_MS = 60_000;
/** Between two tries to reach an engine that went away, milliseconds. */
const RETRY_MS = 1_000;
/** How long the news of a lack of memory is waited for behind an end that it may explain, milliseconds. */
const OOM_MS = 3_000;
const OOM_LOOK_MS = 200;
/** SIGKILL, as a shell tells it. */
const KILLED = 137;
/** What `docker run` ends with where no container could be run. */
const NOT_RUN = 125;

/**
 * Stands for one container among the processes of this machine: makes it, or finds it again by its name, copies its
 * output to stdout and stderr, passes signals on, and ends as it ended. It may be killed at any instant; another one goes
 * on where it was. An engine that goes away is waited for, because its container may live.
 */
export class ContainerRun {
  readonly #job: ContainerJob;
  readonly #docker: Docker;
  readonly #container: Docker.Container;
  readonly #position: LogPosition;
  /** SIGTERM once is passed on; each further one ends the container. */
  #signal: 'SIGTERM' | 'SIGKILL' | null = null;
  #isAway = false;

  /** Throws when the disk refuses. */
  constructor(job: ContainerJob) {
    this.#job = job;
    this.#docker = openEngine(job.place.endpoint);
    this.#container = this.#docker.getContainer(job.place.name);
    this.#position = new LogPosition(job.positionFile);
  }

  /** Resolves with the exit code for this process once the end is written down. */
  async untilEnd(): Promise<number> {
    process.on('SIGHUP', () => undefined);
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => {
      this.#signal = this.#signal === null ? 'SIGTERM' : 'SIGKILL';
      void this.#passSignal();
    });
    const refusal = await this.#begin();
    const end = refusal === null ? await this.#follow() : { code: NOT_RUN, oomKilled: false, refusal };
    writeEnd(this.#job.endFile, end);
    await this.#container.remove({ force: true, v: true, abortSignal: AbortSignal.timeout(ASK_MS) }).catch(() => {
      // Gone already, or its engine is: whoever keeps this run looks once more.
    });
    return end.code ?? 1;
  }

  /** Why it never ran, or null. */
  async #begin(): Promise<string | null> {
    const { order } = this.#job;
    if (order === null) {
      return null;
    }
    try {
      await this.#create(order);
      await this.#container.start({ abortSignal: AbortSignal.timeout(CREATE_MS) });
      return null;
    } catch (error) {
      const text = refusalText(error, order);
      say(text);
      return text;
    }
  }

  async #create(order: ContainerOrder): Promise<void> {
    const { SecurityOptions = [] } = (await inTime(this.#docker.info(), ASK_MS)) as {
      readonly SecurityOptions?: readonly string[];
    };
    // Without root outside, root inside is the person.
    const user = SecurityOptions.some((option) => option.includes('rootless')) ? null : order.user;
    const abortSignal = AbortSignal.timeout(CREATE_MS);
    await this.#docker.createContainer({ ...createOptions({ ...order, user }), abortSignal });
  }

  async #follow(): Promise<ContainerEnd> {
    for (;;) {
      try {
        const state = await this.#state();
        if (state.Status === 'created') {
          await this.#container.start({ abortSignal: AbortSignal.timeout(CREATE_MS) });
        }
        this.#back();
        await this.#passSignal();
        await this.#copyOutput();
        if (!(await this.#state()).Running) {
          return await this.#ended();
        }
      } catch (error) {
        if (statusOf(error) === 404) {
          say('The container was removed by somebody, so nobody can say how it ended.');
          return { code: null, oomKilled: false, refusal: null };
        }
        this.#away(error);
        await pause(RETRY_MS);
      }
    }
  }

  /** Its engine may hear of the memory a moment later than of the end. */
  async #ended(): Promise<ContainerEnd> {
    const deadline = performance.now() + OOM_MS;
    for (;;) {
      const { ExitCode, OOMKilled } = await this.#state();
      const mayCome = ExitCode === KILLED && !OOMKilled && this.#signal === null && performance.now() < deadline;
      if (!mayCome) {
        return { code: ExitCode, oomKilled: OOMKilled, refusal: null };
      }
      await pause(OOM_LOOK_MS);
    }
  }

  async #state(): Promise<Docker.ContainerInspectInfo['State']> {
    return (await this.#container.inspect({ abortSignal: AbortSignal.timeout(ASK_MS) })).State;
  }

  /** Copies what there is and what comes; resolves when it ended or the line broke, rejects when the disk refuses. */
  async #copyOutput(): Promise<void> {
    const { since } = this.#position;
    const stream = await this.#container.logs({ follow: true, stdout: true, stderr: true, timestamps: true, since });
    const isNew = this.#position.newOnes();
    const to = (fd: number): Writable =>
      new Writable({
        write: (piece: Buffer, _encoding, done) => {
          done(this.#copyPiece(piece, fd, isNew));
        },
      });
    const [out, err] = [to(1), to(2)];
    const broken = Promise.all([finished(out), finished(err)]);
    this.#docker.modem.demuxStream(stream, out, err);
    await Promise.race([finished(stream, { writable: false }), broken]);
  }

  /** One piece is one message of the engine: an instant, a blank, and what was written. */
  #copyPiece(piece: Buffer, fd: number, isNew: (at: string) => boolean): Error | null {
    const blank = piece.indexOf(32);
    const at = piece.subarray(0, blank).toString('latin1');
    if (!isNew(at)) {
      return null;
    }
    try {
      writeSync(fd, piece, blank + 1);
      this.#position.passed(at);
      return null;
    } catch (error) {
      // A full disk: tried again from here.
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #passSignal(): Promise<void> {
    if (this.#signal === null) {
      return;
    }
    await this.#container.kill({ signal: this.#signal, abortSignal: AbortSignal.timeout(ASK_MS) }).catch(() => {
      // It does not run yet or any more; where its engine is away, this is done again when that is back.
    });
  }

  #away(error: unknown): void {
    if (!this.#isAway) {
      this.#isAway = true;
      say(`${engineErrorText(error)} The container may go on meanwhile, so it is waited for.`);
    }
  }

  #back(): void {
    if (this.#isAway) {
      this.#isAway = false;
      say('The container engine answers again.');
    }
  }
}

function writeEnd(file: string, end: ContainerEnd): void {
  writeFileSync(`${file}.new`, JSON.stringify(end), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** A line for the person who reads the worker's log. */
function say(text: string): void {
  try {
    writeSync(2, `rollcall: ${text}\n`);
  } catch {
    // A full disk takes no words.
  }
}
