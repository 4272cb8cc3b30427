import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { Engine, EngineRequest } from './engine';

/** Where the builtin engine's process comes from; absolute paths, known only to the surface that was installed. */
export interface BuiltinProgram {
  /** A Node executable; inside VS Code this is its own binary. */
  readonly nodePath: string;
  /** The bundled `dist/worker.js`. */
  readonly workerScript: string;
}

/** The engine that is always there (engines.md): our own Node process, without account and without network. */
export class BuiltinEngine implements Engine {
  readonly name = 'builtin';
  readonly graceMs = 30_000;
  readonly #program: BuiltinProgram;

  constructor(program: BuiltinProgram) {
    this.#program = program;
  }

  commandOf({ type, workerId, root, folder, env }: EngineRequest): EngineCommand {
    const { nodePath, workerScript } = this.#program;
    return {
      command: nodePath,
      args: [workerScript, '--type', type.name, '--id', workerId, '--root', root, '--folder', folder],
      // VS Code's binary is Electron: without this it would open a window instead of running the script.
      env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
      cwd: root,
      stdin: null,
    };
  }
}
