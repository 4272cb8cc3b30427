import { join } from 'node:path';
import type { SessionSnapshot } from '../protocol/actors/sessionSnapshot';
import { workerPaths } from '../registry/paths';

/** Where the readable log is, and the record of the keeper that writes it; absolute. */
export interface LogPaths {
  readonly logFile: string;
  readonly keeperFile: string;
}

/** The log of a worker by its id, or of a session agent by its name; null where the name is neither. */
export function logPathsOf(
  name: string,
  { workersDir, session }: { readonly workersDir: string; readonly session: SessionSnapshot | null },
): LogPaths | null {
  const agent = session?.agents.find((one) => one.name === name);
  return agent === undefined
    ? workerPaths(workersDir, name)
    : { logFile: agent.logFile, keeperFile: join(agent.folder, 'keeper.json') };
}
