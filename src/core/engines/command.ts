import { join } from 'node:path';
import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { Engine, EngineRequest } from './engine';

/**
 * Runs people's own programs (engines.md): the argument vector of `workers.json` as it stands, never through a shell.
 * The program learns its place from four variables: `ROLLCALL_WORKER_ID`, `ROLLCALL_WORKER_DIR`, `ROLLCALL_OUTPUT_DIR`
 * and `ROLLCALL_STOP_FLAG` (the file whose existence asks it to stop).
 */
export class CommandEngine implements Engine {
  readonly name = 'command';
  readonly graceMs = 30_000;

  /** Throws when the type has no command; `selectEngine` never picks this engine for such a type. */
  commandOf({ type, workerId, root, folder, env }: EngineRequest): EngineCommand {
    const [command, ...args] = type.command ?? [];
    if (command === undefined) {
      throw new Error(`Worker type ${type.name} has no command. Add "command": ["program", "argument"] to it.`);
    }
    return {
      command,
      args,
      env: {
        ...env,
        ROLLCALL_WORKER_ID: workerId,
        ROLLCALL_WORKER_DIR: folder,
        ROLLCALL_OUTPUT_DIR: join(folder, 'output'),
        ROLLCALL_STOP_FLAG: join(folder, 'stop-requested'),
      },
      cwd: root,
      stdin: null,
    };
  }
}
