import type { HostApi } from '../core/host/api';
import type { CliContext, ExitCode, GlobalOptions } from './cliContext';

/** Runs a command on an open host and shuts it down behind it, however the command ends. Workers go on. */
export async function withHost(
  context: CliContext,
  options: GlobalOptions,
  command: (host: HostApi) => Promise<ExitCode>,
): Promise<ExitCode> {
  const host = await context.openHost(options);
  try {
    return await command(host);
  } finally {
    await host.shutdown();
  }
}
