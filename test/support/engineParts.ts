import type { EngineSnapshot } from '../../src/core/protocol/engines/engineSnapshot';
import { noEngineFacts } from '../../src/core/protocol/engines/engineFacts';
import type { AskRecord, EngineRecord } from '../../src/core/protocol/engines/keptEngine';
import { isoAfter } from './workerFacts';

/** What a keeper tells of a claude that runs, unless told otherwise. */
export function anEngineRecord(parts: Partial<EngineRecord> = {}): EngineRecord {
  return {
    order: {
      stream: 'claude',
      interrupt: { signal: 'SIGINT', group: false },
      control: true,
      rollouts: null,
      leavings: [],
      answerMs: 60_000,
      startMs: null,
    },
    facts: { ...noEngineFacts, sessionId: 'session-1' },
    asks: [],
    answers: [],
    earlier: [],
    absent: [],
    ...parts,
  };
}

/** A permission that is asked for, unless told otherwise. */
export function anAsk(parts: Partial<AskRecord> = {}): AskRecord {
  return {
    requestId: 'req-1',
    isQuestion: false,
    tool: 'Bash',
    text: 'Bash: npm test',
    choices: [],
    since: isoAfter(12),
    until: isoAfter(72),
    ...parts,
  };
}

/** What a look shows of a claude that runs, unless told otherwise. */
export function anEngineSnapshot(parts: Partial<EngineSnapshot> = {}): EngineSnapshot {
  return {
    name: 'claude',
    sessionId: 'session-1',
    model: 'claude-haiku-4-5',
    tool: null,
    file: null,
    files: [],
    fileCount: 0,
    refused: null,
    usage: noEngineFacts.usage,
    retrying: null,
    asks: [],
    answers: [],
    ...parts,
  };
}
