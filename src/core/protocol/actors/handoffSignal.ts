import { fail, ok, type Result } from '../../base/result';
import { parseLooseJson } from '../workers/looseJson';
import { plainRecord } from '../workers/plainRecord';
import { isAgentName } from './agentName';

/** What an agent of a sequential session wants to happen next (actors.md §7). */
export type HandoffSignal =
  | { readonly kind: 'handoff'; readonly target: string; readonly context: string }
  | { readonly kind: 'complete' };

/** What an agent prints once it has said all that; it may be ended then. */
const READY = 'AGENT_READY_FOR_HANDOFF';
const COMPLETE = '<promise>RALPH_COMPLETE</promise>';
const HANDOFF = /(?<![A-Za-z0-9_])HANDOFF:([A-Za-z][A-Za-z0-9-]{0,63}):([^\n]*)/g;

/** Reads `handoff-signal.json`. A refusal is a phrase that goes on after the file's name. */
export function readHandoffSignal(text: string): Result<HandoffSignal, string> {
  const parsed = parseLooseJson(text);
  if (!parsed.ok) {
    return parsed;
  }
  const record = plainRecord(parsed.value) ?? {};
  const { type, targetAgent, context } = record;
  if (typeof type === 'string' && type.toLowerCase() === 'complete') {
    return ok({ kind: 'complete' });
  }
  const target = typeof targetAgent === 'string' ? targetAgent.trim().toLowerCase() : '';
  return isAgentName(target)
    ? ok({ kind: 'handoff', target, context: contextOf(context) })
    : fail('names no agent as targetAgent');
}

function contextOf(context: unknown): string {
  return typeof context === 'string'
    ? context
    : context === undefined || context === null
      ? ''
      : JSON.stringify(context);
}

/**
 * What the output of an agent says about its turn: the last marker in it counts, because a prompt that explains the
 * markers stands before the work. `ready` tells whether the agent has nothing more to say.
 */
export function signalInOutput(text: string): { readonly signal: HandoffSignal | null; readonly ready: boolean } {
  const complete = text.lastIndexOf(COMPLETE);
  const last = [...text.matchAll(HANDOFF)].at(-1);
  const ready = text.includes(READY);
  if (last !== undefined && last.index > complete) {
    const [, name = '', context = ''] = last;
    return { signal: { kind: 'handoff', target: name.toLowerCase(), context: context.trim() }, ready };
  }
  return { signal: complete === -1 ? null : { kind: 'complete' }, ready };
}
