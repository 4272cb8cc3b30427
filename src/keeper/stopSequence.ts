import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { SerialQueue } from '../core/base/serialQueue';
import { BY_STOP_FLAG } from '../core/protocol/keeper/exitRecord';
import {
  graceOf,
  stepAfter,
  stepOnRequest,
  type LadderStep,
  type StopGraces,
} from '../core/protocol/keeper/stopLadder';
import type { StopReceipt, StopStep } from '../core/protocol/keeper/stopReceipt';
import { ControlError } from '../core/system/controlMessage';
import type { ProcessTree } from '../core/system/processTree';

export interface StopSequenceOptions {
  readonly clock: Clock;
  readonly tree: Pick<ProcessTree, 'collect' | 'signal'>;
  readonly graces: StopGraces;
  /** The polite request. */
  readonly ask: () => Promise<void>;
  /** Stores each new receipt before the ladder goes on. */
  readonly onReceipt: (receipt: StopReceipt) => Promise<void>;
}

/** Takes the steps of the stop ladder, one at a time (lifecycle §5). Once begun it only ends with the tree. */
export class StopSequence {
  readonly #options: StopSequenceOptions;
  readonly #queue = new SerialQueue();
  #receipt: StopReceipt | null;
  #step: LadderStep | null = null;
  #timer: Disposable | null = null;
  #signalled = false;
  #finished = false;

  /** `unfinished` is the receipt of a stop that an earlier keeper had begun; it goes on where that one was. */
  constructor(options: StopSequenceOptions, unfinished: StopReceipt | null) {
    this.#options = options;
    this.#receipt = unfinished;
    const last = unfinished?.steps.at(-1)?.step ?? null;
    if (last !== null && last !== 'verified') {
      this.#step = last;
      this.#signalled = last !== 'asked';
      this.#arm(last);
    }
  }

  get receipt(): StopReceipt | null {
    return this.#receipt;
  }

  /** Whether a stop has sent a signal so far. */
  get forced(): boolean {
    return this.#receipt !== null && this.#signalled;
  }

  /**
   * Takes the first step, or, when repeated, the next one; resolves when the step is taken and stored. A polite request
   * behind one that only the flag made is the same one: who raised the flag says so now, and no step is skipped. Rejects
   * with the code `ended` when there is nothing left to stop.
   */
  async request(requestedBy: string, force: boolean): Promise<StopReceipt> {
    return await this.#queue.run(async () => {
      if (this.#finished) {
        throw new ControlError({ code: 'ended', message: 'The worker has ended already; look at its status.' });
      }
      const receipt = this.#receipt ?? { requestedBy, at: this.#now(), steps: [], finished: false };
      const isNameless = receipt.requestedBy === BY_STOP_FLAG;
      this.#receipt = isNameless ? { ...receipt, requestedBy } : receipt;
      const joins = isNameless && this.#step !== null && !force;
      await (joins ? this.#options.onReceipt(this.#receipt) : this.#take(stepOnRequest(this.#step, force)));
      return this.#receipt;
    });
  }

  /** The flag was seen: takes the polite step, unless a stop runs already. */
  async flagSeen(): Promise<void> {
    await this.#queue.run(async () => {
      if (!this.#finished && this.#step === null && this.#receipt === null) {
        this.#receipt = { requestedBy: BY_STOP_FLAG, at: this.#now(), steps: [], finished: false };
        await this.#take(stepOnRequest(this.#step, false));
      }
    });
  }

  /** Ends what outlived the main process, from SIGTERM on, unless the ladder is that far already. */
  async endLeftovers(): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#step === null || this.#step === 'asked') {
        await this.#take('terminate');
      }
    });
  }

  /** The tree was seen empty: no further step is ever taken, and a receipt is closed with that. */
  async finish(): Promise<void> {
    await this.#queue.run(async () => {
      this.#finished = true;
      this.#timer?.dispose();
      if (this.#receipt !== null) {
        await this.#note('verified', 0);
      }
    });
  }

  async #take(step: LadderStep): Promise<void> {
    this.#timer?.dispose();
    const isRepeat = step === this.#step;
    this.#step = step;
    const alive = await this.#act(step);
    if (!isRepeat) {
      await this.#note(step, alive);
    }
    this.#arm(step);
  }

  async #act(step: LadderStep): Promise<number> {
    const { tree, ask } = this.#options;
    if (step === 'asked') {
      // Counted first: a quick worker is gone as soon as it is asked.
      const alive = (await tree.collect()).length;
      await ask();
      return alive;
    }
    this.#signalled = true;
    return await tree.signal(step === 'terminate' ? 'SIGTERM' : 'SIGKILL');
  }

  async #note(step: StopStep, alive: number): Promise<void> {
    if (this.#receipt === null) {
      return;
    }
    const steps = [...this.#receipt.steps, { step, at: this.#now(), alive }];
    this.#receipt = { ...this.#receipt, steps, finished: step === 'verified' };
    await this.#options.onReceipt(this.#receipt);
  }

  #arm(step: LadderStep): void {
    this.#timer = this.#options.clock.schedule(graceOf(step, this.#options.graces), () => {
      void this.#queue.run(async () => {
        // A request may have taken this very step while the timer's turn was waiting in the queue.
        if (!this.#finished && this.#step === step) {
          await this.#take(stepAfter(step));
        }
      });
    });
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
