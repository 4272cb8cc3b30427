import type { EngineUsage } from './engineEvent';
import type { EngineFacts } from './engineFacts';
import type { EngineStreamName } from './engineOrder';
import { type AnswerRecord, type AskRecord, type EngineRecord, engineUsage } from './keptEngine';

/** What a look shows of a program that asks a model. Texts are on one line and safe to show. */
export interface EngineSnapshot {
  readonly name: EngineStreamName;
  /** The engine's session, or null where it named none. */
  readonly sessionId: string | null;
  /** As the engine names it, or null. */
  readonly model: string | null;
  /** The tool that runs now, or null. */
  readonly tool: string | null;
  /** The file that the tool is about, or null. */
  readonly file: string | null;
  /** The files that were written, the latest last; of many the latest. */
  readonly files: readonly string[];
  readonly fileCount: number;
  /** Writes that a sandbox refused: how many, and the last one's file, or else its tool; null where none was seen. */
  readonly refused: EngineFacts['refused'];
  /** Of all its starts together. */
  readonly usage: EngineUsage;
  /** Why it tries again at this moment, or null. */
  readonly retrying: string | null;
  /** What it waits for a person to answer, the oldest first; empty once it has ended. */
  readonly asks: readonly AskRecord[];
  /** The latest answers, the oldest first. */
  readonly answers: readonly AnswerRecord[];
}

/** What a keeper's record tells of its engine. `isOpen`: its program has not ended. */
export function engineSnapshot(record: EngineRecord, isOpen: boolean): EngineSnapshot {
  const { order, facts, asks, answers } = record;
  const { sessionId, model, files, fileCount, retry } = facts;
  // A record of a version before knows nothing of it.
  const refused = (facts.refused as EngineFacts['refused'] | undefined) ?? null;
  const tool = isOpen ? facts.tools.at(-1) : undefined;
  return {
    name: order.stream,
    sessionId,
    model,
    tool: tool?.tool ?? null,
    file: tool?.file ?? null,
    files,
    fileCount,
    refused,
    usage: engineUsage(record),
    retrying: isOpen ? (retry?.text ?? null) : null,
    asks: isOpen ? asks : [],
    answers,
  };
}
