import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../base/errorText';
import { fail, ok, type Result } from '../base/result';
import { isAgentName } from '../protocol/actors/agentName';
import { confinedPath } from '../system/safePath';

/** The files of one session, all absolute (actors.md §1). */
export interface SessionPaths {
  readonly folder: string;
  readonly statusFile: string;
  readonly undeliveredFile: string;
  readonly keepersDir: string;
  readonly logsDir: string;
}

/** The files of one agent, all absolute. */
export interface AgentPaths {
  readonly folder: string;
  readonly cursorFile: string;
  readonly logFile: string;
}

/** The files of a session in this folder. */
function sessionPathsIn(folder: string): SessionPaths {
  return {
    folder,
    statusFile: join(folder, 'agent-status.json'),
    undeliveredFile: join(folder, 'undelivered.jsonl'),
    keepersDir: join(folder, 'keepers'),
    logsDir: join(folder, 'logs'),
  };
}

/** The files of an agent; null for a name outside the grammar, which must never become a path (actors.md §2). */
export function agentPathsIn({ keepersDir, logsDir }: SessionPaths, agent: string): AgentPaths | null {
  if (!isAgentName(agent)) {
    return null;
  }
  const folder = join(keepersDir, agent);
  return { folder, cursorFile: join(folder, 'cursor'), logFile: join(logsDir, `${agent}.log`) };
}

/** The session folder of a project, which need not exist. Refuses one that leads out of the project; one sentence. */
export async function resolveSessionDir(root: string, dir: string): Promise<Result<SessionPaths, string>> {
  const confined = await confinedPath(root, dir.replace(/\/+$/, ''));
  return confined.ok
    ? ok(sessionPathsIn(confined.value))
    : fail(`The session folder is refused. ${confined.error} Correct session.dir in .vscode/workers.json.`);
}

/** Makes the folders of a session and of these agents. The error is one sentence. Only what a person asks for may call it. */
export async function ensureSessionDir(
  root: string,
  paths: SessionPaths,
  agents: readonly string[],
): Promise<Result<null, string>> {
  try {
    const folders = agents.flatMap((agent) => agentPathsIn(paths, agent)?.folder ?? []);
    for (const folder of [paths.folder, paths.logsDir, paths.keepersDir, ...folders]) {
      await mkdir(folder, { recursive: true });
      const confined = await confinedPath(root, folder.slice(root.length + 1));
      if (!confined.ok) {
        return fail(`${confined.error} Replace the link by a real folder.`);
      }
    }
    return ok(null);
  } catch (error) {
    return fail(`The session folder cannot be made: ${errorText(error)}. Make ${paths.folder} writable and try again.`);
  }
}
