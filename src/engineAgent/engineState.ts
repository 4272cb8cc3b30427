import { join } from 'node:path';
import { SerialQueue } from '../core/base/serialQueue';
import {
  ENGINE_AGENT_BYTES,
  type EngineAgentRecord,
  engineAgentFile,
  type EngineLimit,
  formatEngineAgent,
  readEngineAgent,
} from '../core/protocol/actors/engineAgentRecord';
import { type EngineFacts, foldedRuns, noEngineFacts, type RunUsage } from '../core/protocol/engines/engineFacts';
import type { EngineOrder } from '../core/protocol/engines/engineOrder';
import { engineUsage } from '../core/protocol/engines/keptEngine';
import { type UsageMark, withUsage } from '../core/protocol/engines/usageMarks';
import { writeFileAtomic } from '../core/system/atomicFile';
import { readBounded } from '../core/system/boundedRead';

/** What changes while a turn runs is told this often at most, milliseconds. */
const TELL_MS = 300;

/**
 * Tells looks and the keeper what the engine of an agent does and used; survives its process, so that the sum goes on. What
 * cannot be written is told with the next change: no turn fails for it.
 */
export class EngineState {
  readonly #path: string;
  readonly #writes = new SerialQueue();
  #earlier: readonly RunUsage[] = [];
  #order: EngineOrder | null = null;
  #facts: EngineFacts = noEngineFacts;
  #isOpen = false;
  #limit: EngineLimit | null = null;
  #marks: readonly UsageMark[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(folder: string) {
    this.#path = join(folder, engineAgentFile);
  }

  /** A turn begins. What an earlier process left is read first. */
  async begin(order: EngineOrder): Promise<void> {
    if (this.#order === null) {
      const file = await readBounded(this.#path, ENGINE_AGENT_BYTES);
      const before = file.kind === 'ok' ? readEngineAgent(file.text) : null;
      this.#earlier = before === null ? [] : foldedRuns([...before.engine.earlier, before.engine.facts]);
      this.#marks = before === null ? [] : marksOf(before);
    } else {
      this.#earlier = foldedRuns([...this.#earlier, this.#facts]);
    }
    this.#order = order;
    this.#facts = noEngineFacts;
    this.#isOpen = true;
    this.#limit = null;
    await this.#write();
  }

  /** What is known of the turn by now. */
  note(facts: EngineFacts): void {
    if (facts !== this.#facts) {
      this.#facts = facts;
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        void this.#write();
      }, TELL_MS);
    }
  }

  /** The turn is over. Resolves when that was told, or cannot be. */
  async end(facts: EngineFacts, limit: EngineLimit | null): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#facts = facts;
    this.#isOpen = false;
    this.#limit = limit;
    await this.#write();
  }

  async #write(): Promise<void> {
    await this.#writes.run(async () => {
      const record = this.#record();
      if (record !== null) {
        await writeFileAtomic(this.#path, formatEngineAgent(record), { mode: 0o600 }).catch(() => undefined);
      }
    });
  }

  #record(): EngineAgentRecord | null {
    const order = this.#order;
    if (order === null) {
      return null;
    }
    const kept = { ...order, answerMs: 0, startMs: null };
    const engine = { order: kept, facts: this.#facts, asks: [], answers: [], earlier: this.#earlier, absent: [] };
    const now = Date.now();
    this.#marks = withUsage(this.#marks, { at: now, total: engineUsage(engine) });
    return { at: new Date(now).toISOString(), isOpen: this.#isOpen, engine, limit: this.#limit, marks: this.#marks };
  }
}

/** What an earlier process left without a mark was used when it wrote it. */
function marksOf({ at, engine, marks }: EngineAgentRecord): readonly UsageMark[] {
  return withUsage(marks, { at: Date.parse(at) || 0, total: engineUsage(engine) });
}
