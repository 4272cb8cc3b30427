import { displayText } from '../workers/displayText';
import { isAgentName, isReservedName } from './agentName';
import { nearestName } from './nearestName';

const invitation = { 'send to': 'Send it to', start: 'Start', stop: 'Stop' } as const;

/** Tells whoever wants to send to, start or stop an agent that nobody is called so (actors.md §5). */
export function unknownAgentText(
  to: string,
  agents: readonly string[],
  wanted: 'send to' | 'start' | 'stop' = 'send to',
): string {
  const name = displayText(to).slice(0, 60);
  const near = nearestName(to, agents);
  const guess = near === null ? '' : ` Did you mean ${near}?`;
  const known =
    agents.length === 0
      ? 'This session has no agents; add one to .vscode/workers.json.'
      : `${invitation[wanted]} one of ${agents.join(', ')}.`;
  return `No agent is called ${name}.${guess} ${known}`;
}

/** Why nobody can be listened for under that name, or null; ends in what to do (actors.md §2). */
export function agentNameProblem(name: string): string | null {
  if (isReservedName(name)) {
    return `${name} is a name that means somebody else. Take another one.`;
  }
  return isAgentName(name)
    ? null
    : `"${displayText(name).slice(0, 60)}" cannot be an agent's name. Use small letters, digits and -, at most 64.`;
}

/** Why an agent is not started any more; ends in what to do. */
export function gaveUpText(
  agent: string,
  restarts: number,
  sameEnd: { readonly exitCode: number | null; readonly lastLine: string; readonly times: number } | null,
): string {
  const tries = restarts === 1 ? '1 restart' : `${String(restarts)} restarts`;
  const again = sameEnd !== null && sameEnd.times > 1 ? ` ${sameEndText(sameEnd)}` : '';
  return `${agent} was given up after ${tries}.${again} See its log, mend the cause and start it again.`;
}

function sameEndText(end: {
  readonly exitCode: number | null;
  readonly lastLine: string;
  readonly times: number;
}): string {
  const code = end.exitCode === null ? 'a signal' : `exit ${String(end.exitCode)}`;
  const line = displayText(end.lastLine).slice(0, 120);
  return `It ended ${String(end.times)} times in the same way: ${code}${line === '' ? '' : `, last line "${line}"`}.`;
}

/** The disk takes no message any more. */
export function fullDiskText(folder: string): string {
  return `The disk that holds ${folder} is full. Messages wait where they are, and none is lost. Free some space: they go on by themselves.`;
}

/** Reasons of a crash that are no exit code (actors.md §6). */
export const neverConnected = 'never connected';
export const recoveredFromCrash = 'Supervisor recovered from crash';
