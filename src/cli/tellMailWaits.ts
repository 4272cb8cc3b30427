import type { HostApi } from '../core/host/api';
import type { CliContext, ExitCode } from './cliContext';

/** Where nobody leads the project, nobody carries mail on: says so on stderr, and who can. Gives 0. */
export async function tellMailWaits(context: CliContext, host: HostApi): Promise<ExitCode> {
  if ((await host.look()).leader === null) {
    context.err(
      'Nobody leads this project. What waits for agents, and what they say, goes on once `rollcall session start` or a window leads.',
    );
  }
  return 0;
}
