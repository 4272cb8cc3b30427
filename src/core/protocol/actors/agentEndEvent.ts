import type { ExitRecord } from '../keeper/exitRecord';
import type { SessionEvent } from './sessionEvent';
import { neverConnected, recoveredFromCrash } from './sessionTexts';

type EndEvent = Extract<SessionEvent, { type: 'AgentExited' | 'AgentCrashed' }>;

/**
 * How the log tells the end of an agent (actors.md §6). `exit` is null where nobody saw it; `lastLine` is the end of its
 * output, display-safe.
 */
export function agentEndEvent(agent: string, exit: ExitRecord | null, lastLine: string): EndEvent {
  if (exit === null) {
    return { type: 'AgentCrashed', data: { agent, exitCode: -1, reason: recoveredFromCrash } };
  }
  const exitCode = exit.code;
  if (exit.class === 'done' || exit.class === 'asked to stop') {
    return { type: 'AgentExited', data: { agent, exitCode, exit } };
  }
  const reason = reasonOf(exit);
  const crash = { agent, exitCode: exit.class === 'unknown exit' ? -1 : exitCode, exit, lastLine };
  return { type: 'AgentCrashed', data: reason === null ? crash : { ...crash, reason } };
}

function reasonOf({ class: exitClass, signal, reason }: ExitRecord): string | null {
  switch (exitClass) {
    case 'never started':
    case 'exit 0 unconnected':
      return neverConnected;
    case 'unknown exit':
      return reason ?? recoveredFromCrash;
    case 'crash':
      return reason ?? signal;
    default:
      return reason ?? (signal === null ? exitClass : `${exitClass} (${signal})`);
  }
}
