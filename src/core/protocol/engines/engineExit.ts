import { classifyExit, type ExitEvidence } from '../keeper/exitClass';
import type { ExitClass } from '../keeper/exitRecord';
import type { EngineFault } from './engineEvent';
import type { EngineFacts, EngineFailure } from './engineFacts';
import type { EngineRemedy } from './engineRemedy';

export interface EngineEvidence extends ExitEvidence {
  readonly facts: EngineFacts;
  /** What a file beside the stream says about the failure (`readCodexRollout`), or null. */
  readonly beside: Pick<EngineFailure, 'fault' | 'resetsAt'> | null;
}

/** How an engine's run ended (lifecycle §4). */
export interface EngineVerdict {
  readonly class: ExitClass;
  /** One sentence without its end, or null where the class says all. */
  readonly reason: string | null;
  /** When a rate limit ends, milliseconds since 1970; null where nobody says. */
  readonly resetsAt: number | null;
  readonly remedy: EngineRemedy | null;
  /** The service failed and not the work: it may well go better a second time. */
  readonly isTransient: boolean;
}

/**
 * The class of an engine's end. Done is the end line of the stream and exit 0, and nothing less; a failure is what the
 * stream's own fields say it is, and only where they say nothing the exit code speaks.
 */
export function engineExit(evidence: EngineEvidence): EngineVerdict {
  const seen = classifyExit(evidence);
  if (seen === 'unknown exit') {
    return unseenExit(evidence);
  }
  if (seen !== 'done' && seen !== 'crash') {
    return verdict(seen, null, null);
  }
  if (evidence.stopRequested) {
    // It had said its last word before the stop cut its output short.
    return verdict(evidence.terminalWord === 'completed' ? 'done' : seen, null, null);
  }
  const { facts } = evidence;
  const failure = failureOf(evidence);
  if (failure !== null) {
    return verdictOf(failure, facts);
  }
  if (facts.end === 'interrupted') {
    return verdict('killed by someone else', 'it was interrupted, and not by Rollcall', null);
  }
  if (seen === 'done') {
    return facts.end === 'done' ? verdict('done', null, null) : verdict('crash', WITHOUT_END, 'retry');
  }
  return crashOf(evidence);
}

function crashOf({ facts, code }: EngineEvidence): EngineVerdict {
  return facts.end === null && facts.lines === 0 && code !== null
    ? verdict('config', `it ended with exit code ${code} before it said anything`, 'check configuration')
    : verdict('crash', null, 'retry');
}

/** Its keeper died, so nobody knows its exit code; its output still says how it came out. */
function unseenExit(evidence: EngineEvidence): EngineVerdict {
  const failure = failureOf(evidence);
  if (failure !== null) {
    return verdictOf(failure, evidence.facts);
  }
  return verdict(evidence.facts.end === 'done' ? 'done' : 'unknown exit', null, null);
}

const WITHOUT_END = 'it ended with exit code 0, but without the last line of its output, so it did not finish';

function failureOf({ facts: { failure }, beside }: EngineEvidence): EngineFailure | null {
  if (failure === null || beside === null || failure.fault !== 'other') {
    return failure;
  }
  return { ...failure, ...beside };
}

function verdictOf({ fault, text, resetsAt }: EngineFailure, { allowanceResetsAt }: EngineFacts): EngineVerdict {
  const [exitClass, remedy] = meanings[fault];
  const reason = text === '' ? fault : text;
  return fault === 'rate limited'
    ? { ...verdict(exitClass, reason, remedy), resetsAt: resetsAt ?? allowanceResetsAt }
    : { ...verdict(exitClass, reason, remedy), isTransient: fault === 'overloaded' || fault === 'cut' };
}

const meanings: Readonly<Record<EngineFault, readonly [ExitClass, EngineRemedy]>> = {
  'rate limited': ['rate limited', 'wait'],
  auth: ['auth', 'log in'],
  config: ['config', 'check configuration'],
  'own limit': ['config', 'raise limit'],
  overloaded: ['crash', 'retry'],
  cut: ['crash', 'retry'],
  other: ['crash', 'retry'],
};

function verdict(exitClass: ExitClass, reason: string | null, remedy: EngineRemedy | null): EngineVerdict {
  return { class: exitClass, reason, resetsAt: null, remedy, isTransient: false };
}
