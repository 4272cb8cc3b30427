import type { ProcessTree } from '../core/system/processTree';
import type { Tree } from './startProcess';

/**
 * The tree of a run in a container: the process that stands for it, which passes a first SIGTERM on and ends the container
 * at each further one. A SIGKILL would end that process alone, and the container would go on.
 */
export class ContainerTree implements Tree {
  readonly #process: ProcessTree;

  constructor(process: ProcessTree) {
    this.#process = process;
  }

  async collect(): ReturnType<Tree['collect']> {
    return await this.#process.collect();
  }

  async remember(): Promise<void> {
    await this.#process.remember();
  }

  /** Only programs that ask a model are interrupted, and none of them runs in a container. */
  async interrupt(): Promise<void> {
    return Promise.resolve();
  }

  async signal(): Promise<number> {
    return await this.#process.signal('SIGTERM');
  }
}
