import type { Disposable } from '../../base/disposable';
import { errorText } from '../../base/errorText';
import type { CallFolder } from '../../mailbox/callFolder';
import type { ExitRecord } from '../../protocol/keeper/exitRecord';
import type { KeeperSpec } from '../../protocol/keeper/keeperSpec';
import type { WorkerFacts } from '../../protocol/workerFacts';
import { createSupervisor, type Supervisor } from '../../supervisor/supervisor';
import { lostRecord, takeOverSpec } from '../../supervisor/takeOverSpec';
import type { HostContext } from '../hostContext';
import { keeperSettings } from '../keeperSettings';
import { callFacts } from './callFacts';
import { CALL_TYPE } from './callSpec';

/** Between two looks at calls whose end has not been told, milliseconds. */
const LOOK_MS = 2_000;

/** A call that a keeper has, and who hears of its end. */
export interface KeptCall {
  readonly place: CallFolder;
  /** ISO 8601 UTC. */
  readonly sentAt: string;
  readonly onEnd: (exit: ExitRecord) => void;
}

/** The keepers of calls, one each: supervised as those of workers are, only that no registry names them. */
export class CallKeepers implements Disposable {
  readonly #host: HostContext;
  readonly #epoch: number;
  readonly #supervisor: Supervisor;
  readonly #kept = new Map<string, KeptCall>();
  #looking: Disposable | null = null;

  constructor(host: HostContext, epoch: number) {
    const { clock, logger, program } = host;
    this.#host = host;
    this.#epoch = epoch;
    this.#supervisor = createSupervisor({
      ...program,
      clock,
      logger,
      // Its begin and its end are messages in the session's log. An end that nobody saw is no change of its state.
      record: ({ type, data }) => {
        if (type === 'WorkerExited') {
          this.#tellSoon(data.worker);
        }
      },
      look: async (name) => this.#look(name),
      takeOverSpec: (facts) => this.#takeOverSpec(facts),
    });
    this.#supervisor.onDidChange((name) => {
      this.#tellSoon(name);
    });
  }

  /** Starts the call's keeper; gives why there is none, or null. */
  async start(call: KeptCall, spec: KeeperSpec): Promise<string | null> {
    this.#keep(call);
    const ready = await this.#supervisor.start(spec);
    await this.#tell(call.place.name);
    return ready.ready ? null : ready.message;
  }

  /** Follows a call that was started before, and puts a new keeper over what a dead one left of it. */
  async adopt(call: KeptCall): Promise<void> {
    this.#keep(call);
    await this.#adopt(call);
  }

  /** Ends its whole tree, beginning with SIGTERM. */
  async stop({ name }: CallFolder, requestedBy: string): Promise<void> {
    const facts = await this.#look(name);
    if (facts !== null) {
      await this.#supervisor.stop({ facts, epoch: this.#epoch, requestedBy, force: true });
    }
  }

  /** Lets go of all; they go on. */
  dispose(): void {
    this.#looking?.dispose();
    this.#kept.clear();
    this.#supervisor.dispose();
  }

  #keep(call: KeptCall): void {
    this.#kept.set(call.place.name, call);
    this.#looking ??= this.#lookLater();
  }

  /** A keeper that a dead leader had only just launched is met by none of our tries: it is looked for again. */
  #lookLater(): Disposable {
    return this.#host.clock.schedule(LOOK_MS, () => {
      this.#looking = this.#kept.size === 0 ? null : this.#lookLater();
      for (const call of this.#kept.values()) {
        this.#adopt(call).catch((error: unknown) => {
          this.#host.logger.error('a call was not followed', { call: call.place.name, reason: errorText(error) });
        });
      }
    });
  }

  /** What is followed already is left as it is. */
  async #adopt({ place, sentAt }: KeptCall): Promise<void> {
    await this.#supervisor.adopt([await callFacts(place, sentAt)], this.#epoch);
    await this.#tell(place.name);
  }

  async #look(name: string): Promise<WorkerFacts | null> {
    const call = this.#kept.get(name);
    return call === undefined ? null : await callFacts(call.place, call.sentAt);
  }

  #tellSoon(name: string): void {
    this.#tell(name).catch((error: unknown) => {
      this.#host.logger.error('the end of a call was not read', { call: name, reason: errorText(error) });
    });
  }

  /** Tells of an end once it is on record. */
  async #tell(name: string): Promise<void> {
    const exit = (await this.#look(name))?.keeper?.record.attempts.at(-1)?.exit ?? null;
    const call = exit === null ? undefined : this.#kept.get(name);
    if (exit !== null && call !== undefined) {
      this.#kept.delete(name);
      call.onEnd(exit);
    }
  }

  #takeOverSpec({ keeper, entry, folder }: WorkerFacts): KeeperSpec {
    const { worker_id: name, started_at: startedAt } = entry;
    const record = keeper?.record ?? lostRecord(name, startedAt, this.#host.randomHex(16));
    const settings = { ...keeperSettings(this.#host), type: CALL_TYPE, folder, epoch: this.#epoch, secrets: [] };
    return takeOverSpec(record, settings);
  }
}
