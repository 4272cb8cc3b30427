import { fail, ok, type Result } from '../../base/result';
import { supervisorName } from './agentName';
import type { Message } from './message';

/** Where an agent stands: absolute paths. */
export interface CallerFolders {
  /** The agent's working folder; its relative paths begin there. */
  readonly cwd: string;
  readonly sessionDir: string;
}

/** What an agent wants to have run, with absolute paths that lie in the session folder as far as their text tells. */
export interface CliCall {
  readonly messageFile: string;
  readonly responseFile: string;
}

/** Whether a message asks the supervisor to have its sender's engine run once (actors.md §4). */
export function isCall({ type, to }: Pick<Message, 'type' | 'to'>): boolean {
  return type === 'CLIInvoke' && to.toLowerCase() === supervisorName;
}

/** Whether a message tells an agent how its call ended. */
export function isCallAnswer({ type }: Pick<Message, 'type'>): boolean {
  return type === 'CLIComplete';
}

/** Reads a `CLIInvoke`; a refusal is a sentence for its sender that ends in what to do (actors.md §4). */
export function readCliInvoke({ from, payload }: Message, folders: CallerFolders): Result<CliCall, string> {
  const { agentName, messageFile, responseFile } = payload;
  if (typeof agentName !== 'string' || agentName.toLowerCase() !== from) {
    return fail(`An agent can only have its own command line run. Name ${from} as agentName.`);
  }
  const message = fileIn(messageFile, folders);
  const response = fileIn(responseFile, folders);
  if (message === null || response === null) {
    return fail('messageFile and responseFile must be files in the session folder. Connect with its SessionDir.');
  }
  const taken = [message, response].find((file) => isOurs(file, folders));
  return taken === undefined
    ? ok({ messageFile: message, responseFile: response })
    : fail(`${taken} is a file of the session itself. Name messageFile and responseFile otherwise.`);
}

/** The files and folders of a session that have their one writer (actors.md §1). */
const OURS = new Set([
  'eventlog.jsonl',
  'eventlog',
  'agent-status.json',
  'undelivered.jsonl',
  'pending-handoff.json',
  'handoff-log.json',
  'coordinator-state.json',
  'keepers',
  'logs',
]);

function isOurs(file: string, { sessionDir }: CallerFolders): boolean {
  const inside = file.slice((normalPath(sessionDir) ?? '').length + 1);
  // Some disks take no notice of case.
  return OURS.has((inside.split('/')[0] ?? '').toLowerCase());
}

/** The payload of the `CLIComplete` that answers. `now` is epoch milliseconds; `error` null where all went well. */
export function cliCompletePayload(
  agentName: string,
  exitCode: number,
  error: string | null,
  now: number,
): Message['payload'] {
  const completedAt = new Date(now).toISOString();
  const success = exitCode === 0 && error === null;
  return { agentName, exitCode, success, completedAt, ...(error === null ? {} : { error }) };
}

/** Whoever opens the file must still look for links: this judges the text of its path. */
function fileIn(file: unknown, { cwd, sessionDir }: CallerFolders): string | null {
  if (typeof file !== 'string' || file.trim() === '' || file.includes('\0')) {
    return null;
  }
  const isAbsolute = /^([\\/]|[A-Za-z]:[\\/])/.test(file);
  const path = normalPath(isAbsolute ? file : `${cwd}/${file}`);
  const folder = normalPath(sessionDir);
  return path !== null && folder !== null && path.startsWith(`${folder}/`) ? path : null;
}

/** With `/` between the parts and neither `.` nor `..` among them; null where it climbs above its root. */
function normalPath(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/').slice(1)) {
    if (part === '..' && parts.pop() === undefined) {
      return null;
    }
    if (part !== '' && part !== '.' && part !== '..') {
      parts.push(part);
    }
  }
  const root = /^[^\\/]*/.exec(path)?.[0] ?? '';
  return [root, ...parts].join('/');
}
