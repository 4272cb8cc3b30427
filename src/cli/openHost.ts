import type { Logger } from '../core/base/logger';
import type { HostApi } from '../core/host/api';
import { createHost } from '../core/host/createHost';
import { surfaceOf, type GlobalOptions } from './cliContext';
import { UsageError } from './usageError';
import { projectRoot } from './projectRoot';

/** A terminal has no settings: `ROLLCALL_ENGINES` holds the same as JSON. Throws where it is none. */
function enginesInEnv(): unknown {
  const text = process.env['ROLLCALL_ENGINES'] ?? '';
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    throw new UsageError('The variable ROLLCALL_ENGINES holds no JSON. Correct it, or take it out.');
  }
}

/** Opens the project of `--cwd` or the current folder. Who types a command there trusts the folder. */
export async function openHost(options: GlobalOptions, logger: Logger): Promise<HostApi> {
  return await createHost({
    root: await projectRoot(options),
    surface: surfaceOf(options),
    distDir: __dirname,
    nodePath: process.execPath,
    env: process.env,
    engines: enginesInEnv,
    trusted: true,
    logger,
  });
}
