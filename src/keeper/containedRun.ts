import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText } from '../core/base/errorText';
import { isRecord, readJson } from '../core/protocol/events/jsonGuards';
import type {
  ContainerEnd,
  ContainerJob,
  ContainerOrder,
  ContainerPlace,
} from '../core/protocol/keeper/containerOrder';
import type { EngineCommand, KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { readContainerEnd } from '../core/protocol/keeper/readContainer';
import { readBounded } from '../core/system/boundedRead';
import { allowListedEnv } from '../core/system/cleanEnv';
import { type ContainerBox, containerBoxOf } from '../core/system/containerBox';
import { runTool } from '../core/system/runTool';
import { MadeFolders } from './madeFolders';
import { insideEnd } from './sandboxRun';
import type { ProcessEnd } from './startProcess';

const MAX_END_BYTES = 64 * 1024;

/** How a contained run ended, and what there is to say of it. */
export interface ContainedEnd extends ProcessEnd {
  readonly outOfMemory: boolean;
  readonly refusal: string | null;
  readonly note: string | null;
}

/**
 * One run in a container. What the keeper keeps is `dist/docker.js`, a process that stands for the container; where that
 * was killed, what it left is ended here.
 */
export class ContainedRun {
  readonly #spec: KeeperSpec;
  readonly #place: ContainerPlace;
  readonly #box: ContainerBox;
  readonly #made = new MadeFolders();

  constructor(spec: KeeperSpec, place: ContainerPlace) {
    this.#spec = spec;
    this.#place = place;
    this.#box = containerBoxOf(spec.runtimeDir, spec.folder);
  }

  /** Makes what has to be there, and gives the command that makes the container. Rejects when the disk refuses. */
  async prepare(order: ContainerOrder): Promise<EngineCommand> {
    await rm(this.#box.folder, { recursive: true, force: true });
    await mkdir(this.#box.folder, { mode: 0o700 });
    await this.#made.ensure(order.writable);
    return this.#command(order);
  }

  /** The command that goes on with the container of an earlier keeper; null where its end is known already. */
  async goOn(): Promise<EngineCommand | null> {
    await mkdir(this.#box.folder, { recursive: true, mode: 0o700 });
    return (await this.#knownEnd()) === null ? this.#command(null) : null;
  }

  /** How the container ended, given how the process that stood for it did. Never rejects. */
  async endOf(outside: ProcessEnd): Promise<ContainedEnd> {
    const end = await this.#knownEnd();
    if (end === null) {
      return { ...outside, outOfMemory: false, refusal: null, note: await this.#endWhatIsLeft() };
    }
    const { code, oomKilled, refusal } = end;
    const inside = code === null ? { code, signal: null } : insideEnd(outside, code);
    return { ...inside, outOfMemory: oomKilled, refusal, note: null };
  }

  async remove(): Promise<void> {
    await rm(this.#box.folder, { recursive: true, force: true }).catch(() => {
      // Two small files that stay are no reason to keep the end of the worker from being recorded.
    });
    await this.#made.removeEmpty();
  }

  async #knownEnd(): Promise<ContainerEnd | null> {
    const file = await readBounded(this.#box.endFile, MAX_END_BYTES);
    return file.kind === 'ok' ? readContainerEnd(file.text) : null;
  }

  #command(order: ContainerOrder | null): EngineCommand {
    return {
      command: process.execPath,
      args: [dockerProgram(), 'run'],
      env: programEnv(),
      cwd: this.#spec.root,
      stdin: JSON.stringify(this.#job(order)),
    };
  }

  #job(order: ContainerOrder | null): ContainerJob {
    const { endFile, positionFile } = this.#box;
    return { place: this.#place, order, endFile, positionFile };
  }

  /** Whoever killed the process that stood for it did not end the container. Gives what a person should know. */
  async #endWhatIsLeft(): Promise<string | null> {
    const { name } = this.#place;
    try {
      const job = JSON.stringify(this.#job(null));
      const said = readJson(await runTool(process.execPath, [dockerProgram(), 'end', job], programEnv()));
      const answer = isRecord(said) ? said : {};
      if (typeof answer['error'] === 'string') {
        throw new Error(answer['error']);
      }
      return isRecord(answer['end'])
        ? `the container ${name} was ended, because what followed it had been killed`
        : null;
    } catch (error) {
      return `the container ${name} may still run, because its engine does not answer (${errorText(error)}); once it does: docker rm -f ${name}`;
    }
  }
}

/** It lies beside the keeper. */
function dockerProgram(): string {
  return join(dirname(process.argv[1] ?? ''), 'docker.js');
}

function programEnv(): Record<string, string> {
  return allowListedEnv(process.env, { ELECTRON_RUN_AS_NODE: '1' });
}
