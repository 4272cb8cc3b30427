import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../core/base/clock';
import type { Disposable } from '../../core/base/disposable';
import { runtimeVariables } from '../../core/protocol/actors/privateWire';
import { classifyAgentExit, type AgentExitEvidence, isOwnLeave } from '../../core/protocol/keeper/agentExitClass';
import type { MailboxOrder, MailboxRecord } from '../../core/protocol/keeper/mail';
import type { KeeperSpec } from '../../core/protocol/keeper/keeperSpec';
import type { ControlMethod } from '../../core/system/controlServer';
import { lastLinesOf } from '../lastLinesOf';
import type { EndEvidence, ExitVerdict, Paperwork } from '../paperwork';
import type { ProcessEnd, WatchedProcess } from '../startProcess';
import { engineLimit } from './engineLimit';
import { Mailbox } from './mailbox';

export interface AgentPaperworkOptions {
  readonly spec: KeeperSpec;
  readonly order: MailboxOrder;
  readonly clock: Clock;
  /** How the mailbox stood when an earlier keeper of this process died, or as it begins. */
  readonly record: MailboxRecord;
  /** A name for this keeper's run of the agent. */
  readonly name: string;
  readonly onRecord: (record: MailboxRecord) => void;
  readonly note: (text: string) => void;
}

const REASONS = {
  'never connected': 'never connected',
  lost: 'its keeper was killed, and an agent of this kind never comes back to its endpoint',
} as const;

/** A session agent: no file of a background worker, but a mailbox, and an end when nobody will ever connect (actors.md §6). */
export class AgentPaperwork implements Paperwork {
  readonly #options: AgentPaperworkOptions;
  readonly #mailbox: Mailbox;
  #timer: Disposable | null = null;
  #endedFor: AgentExitEvidence['endedFor'] = null;
  #endHosting: () => void = () => undefined;

  /** Makes the folders and opens the spool. Throws when the disk refuses. */
  constructor(options: AgentPaperworkOptions) {
    const { spec, order } = options;
    this.#options = options;
    mkdirSync(dirname(order.logFile), { recursive: true });
    mkdirSync(spec.folder, { recursive: true });
    this.#mailbox = new Mailbox({
      ...options,
      onConnection: (isConnected) => {
        this.#timer?.dispose();
        if (!isConnected && this.#mailbox.farewell !== null) {
          this.#endHosting();
        }
      },
    });
  }

  get logFile(): string {
    return this.#options.order.logFile;
  }

  get moreEnv(): Readonly<Record<string, string>> {
    const { order, spec } = this.#options;
    return {
      ...tempDirOf(order),
      [runtimeVariables.endpoint]: order.privateEndpoint,
      [runtimeVariables.token]: order.token,
      [runtimeVariables.agent]: order.agent,
      [runtimeVariables.sessionDir]: dirname(dirname(spec.folder)),
      [runtimeVariables.cursor]: join(spec.folder, 'cursor'),
    };
  }

  get methods(): Readonly<Record<string, ControlMethod>> {
    return this.#mailbox.methods;
  }

  async open(): Promise<void> {
    await this.#mailbox.listen();
  }

  async begin(): Promise<void> {
    // An agent has no file that says that it starts: its keeper's record does.
  }

  instead(): WatchedProcess | null {
    if (this.#options.order.byHand !== true) {
      return null;
    }
    const ended = new Promise<ProcessEnd>((resolve) => {
      this.#endHosting = () => {
        resolve({ code: null, signal: null });
      };
    });
    // There is no process of ours: the last step of a stop is to hang up.
    const signal = async (): Promise<number> => {
      this.#endHosting();
      return await Promise.resolve(0);
    };
    const nothing = async (): Promise<void> => Promise.resolve();
    const tree = { collect: async () => Promise.resolve([]), remember: nothing, interrupt: nothing, signal };
    return { process: null, ended, tree };
  }

  watch(end: () => Promise<void>): void {
    const { order, spec, clock, note } = this.#options;
    const { connectedAt, connectedBy } = this.#mailbox.record;
    const endFor = (cause: keyof typeof REASONS): void => {
      this.#endedFor = cause;
      note(`The agent is being ended: ${REASONS[cause]}.`);
      void end();
    };
    if (spec.adopt !== null && connectedBy === 'compatible') {
      endFor('lost');
    } else if (order.connectMs !== null && connectedAt === null) {
      this.#timer = clock.schedule(order.connectMs, () => {
        endFor('never connected');
      });
    }
  }

  async mend(): Promise<void> {
    await this.#mailbox.mend();
  }

  async askToStop(): Promise<void> {
    this.#timer?.dispose();
    this.#mailbox.askToStop();
    if (!this.#mailbox.isConnected) {
      this.#endHosting();
    }
    return Promise.resolve();
  }

  async isStopAsked(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async judge(evidence: EndEvidence): Promise<ExitVerdict> {
    this.#timer?.dispose();
    await this.#mailbox.drain();
    if (isOwnLeave(evidence.code)) {
      this.#mailbox.finishBegun();
    }
    // Who need not connect has not failed to.
    const connected = this.#options.order.connectMs === null || this.#mailbox.record.connectedAt !== null;
    const exitClass = classifyAgentExit({ ...evidence, connected, endedFor: this.#endedFor });
    const limit = exitClass === 'crash' ? await engineLimit(evidence.code, this.#options.spec) : null;
    if (limit !== null) {
      return limit;
    }
    const reason = exitClass === 'asked to stop' || this.#endedFor === null ? null : REASONS[this.#endedFor];
    return { class: exitClass, ...(reason === null ? {} : { reason }) };
  }

  async writeEnd(): Promise<void> {
    // Nothing but the record tells of an agent's end.
  }

  lastLines(): string {
    return lastLinesOf(this.logFile);
  }

  async close(): Promise<void> {
    this.#timer?.dispose();
    await this.#mailbox.close();
  }
}

/** Existing agents look for their endpoint below their own TMPDIR. */
function tempDirOf({ compatibleEndpoint }: MailboxOrder): Readonly<Record<string, string>> {
  return compatibleEndpoint === null || process.platform === 'win32' ? {} : { TMPDIR: dirname(compatibleEndpoint) };
}
