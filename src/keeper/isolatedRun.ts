import { basename, join, relative, sep } from 'node:path';
import type { Clock } from '../core/base/clock';
import type { IsolationRecord, Violation } from '../core/protocol/keeper/isolationRecord';
import type { EngineCommand, KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import type { WorkerProcess } from '../core/protocol/keeper/processIdentity';
import { ProcessTree } from '../core/system/processTree';
import { INSIDE_SANDBOX } from '../core/system/sandboxBox';
import { Audit } from './audit';
import { ContainedRun } from './containedRun';
import { ContainerTree } from './containerTree';
import { joinNotes } from './joinNotes';
import { SandboxRun } from './sandboxRun';
import type { ProcessEnd, Tree } from './startProcess';

/** What is started, and the worker's own program as far as it is one of this machine. */
export interface PreparedRun {
  readonly command: EngineCommand;
  readonly program: EngineCommand;
}

/** How a run ended, whatever stood around it. */
export interface RunEnd extends ProcessEnd {
  readonly outOfMemory: boolean;
  /** Why it never ran, or null. */
  readonly refusal: string | null;
}

/** How a sandbox's refusal reads in the output of a worker. */
const REFUSED = /\bEROFS\b|read-only file system/i;
const REFUSAL_CHARS = 200;

/** The isolation of one run, from before its start to the record of its end; does nothing where there is none. */
export class IsolatedRun {
  readonly #spec: KeeperSpec;
  readonly #clock: Clock;
  readonly #record: IsolationRecord | undefined;
  readonly #sandbox: SandboxRun | null;
  readonly #container: ContainedRun | null;
  #containerNote: string | null = null;
  #audit: Audit | null = null;

  /** `record` is what the first record of this keeper says about the isolation. */
  constructor(spec: KeeperSpec, record: IsolationRecord | undefined, clock: Clock) {
    this.#spec = spec;
    this.#clock = clock;
    this.#record = record;
    this.#sandbox = record?.level === 'sandbox' ? new SandboxRun(spec.runtimeDir, spec.folder) : null;
    this.#container = record?.container === undefined ? null : new ContainedRun(spec, record.container);
  }

  /** What a stop acts on: the tree of this process, whose members carry the marker. */
  treeOf(process: WorkerProcess, marker: string): Tree {
    // In a sandbox, the worker's own processes have another mark than the sandbox around them.
    const tree = new ProcessTree(process, marker, this.#sandbox === null ? null : INSIDE_SANDBOX);
    return this.#container === null ? tree : new ContainerTree(tree);
  }

  /** Makes everything ready and gives the command to start. Rejects when the disk refuses. */
  async prepare(): Promise<PreparedRun> {
    const { isolation, command: program } = this.#spec;
    if (isolation?.level === 'container' && this.#container !== null) {
      const command = await this.#container.prepare(isolation.container);
      return { command, program: command };
    }
    if (isolation?.level === 'sandbox') {
      await this.#sandbox?.prepare(isolation.place).catch(async (error: unknown) => {
        await this.remove();
        throw error;
      });
      return { command: isolation.run, program };
    }
    if (isolation !== undefined) {
      this.#audit = await Audit.begin(this.#spec, this.#clock);
    }
    return { command: program, program };
  }

  /** What to start where a process that is gone stood for something that may go on without it, or null. */
  async goOn(): Promise<PreparedRun | null> {
    const command = (await this.#container?.goOn()) ?? null;
    return command === null ? null : { command, program: command };
  }

  /** How the worker itself ended, whatever stood around it. */
  async endOf(end: ProcessEnd): Promise<RunEnd> {
    if (this.#container !== null) {
      const { note, ...contained } = await this.#container.endOf(end);
      this.#containerNote = note;
      return contained;
    }
    const inside = this.#sandbox === null ? end : await this.#sandbox.endOf(end);
    return { ...inside, outOfMemory: false, refusal: null };
  }

  /**
   * What to record once the run is over: its violations, or what the sandbox was seen to refuse. `touched` are files of
   * the keeper that somebody else has written to.
   */
  async finish(lastLines: string, touched: readonly string[]): Promise<IsolationRecord | undefined> {
    if (this.#record === undefined) {
      return undefined;
    }
    const audited = (await this.#audit?.finish()) ?? { violations: [], note: null };
    return {
      ...this.#record,
      note: joinNotes(this.#record.note, audited.note, this.#refusalIn(lastLines), this.#containerNote),
      violations: [...audited.violations, ...touched.map((path) => this.#ownFileChanged(path))],
    };
  }

  /** Takes away what was made for this run alone. */
  async remove(): Promise<void> {
    await this.#sandbox?.remove();
    await this.#container?.remove();
  }

  #refusalIn(lastLines: string): string | null {
    return this.#sandbox === null && this.#container === null ? null : refusalIn(lastLines);
  }

  #ownFileChanged(name: string): Violation {
    const { root, folder } = this.#spec;
    const path = relative(root, join(folder, basename(name)))
      .split(sep)
      .join('/');
    return { path, change: 'changed', at: new Date(this.#clock.now()).toISOString() };
  }
}

/** A refusal that can be seen in the output is worth a note; the worker may have gone on without what it wanted. */
function refusalIn(lastLines: string): string | null {
  const line = lastLines.split('\n').find((candidate) => REFUSED.test(candidate));
  return line === undefined ? null : `the sandbox refused a write: ${line.trim().slice(0, REFUSAL_CHARS)}`;
}
