import { errorText } from '../../core/base/errorText';
import type { WorkItem } from '../builtinType';
import { type BrainSection, brainSections } from './brainExport';

/** One phase of an export: which things it goes through, and what it does with each. */
export interface SectionPlan {
  readonly section: BrainSection;
  readonly phase: string;
  /** Finds the names of the things, each of which becomes one item. */
  readonly names: () => Promise<readonly string[]>;
  /** Collects one of them and answers with a line for the log. */
  readonly collect: (name: string) => Promise<string>;
}

/**
 * Turns the phases of an export into items and remembers what could not be collected: a section that lacks something is
 * a missing section, and no reason to end the work (workers.md §2).
 */
export class SectionCollector {
  readonly #problems = new Map<BrainSection, string[]>();

  /** The sections that lack something. */
  get missing(): readonly BrainSection[] {
    return brainSections.filter((section) => this.#problems.has(section));
  }

  /** One line for each thing that could not be collected. */
  get problems(): readonly string[] {
    return [...this.#problems].flatMap(([section, reasons]) => reasons.map((reason) => `${section}: ${reason}`));
  }

  /** The items of one phase; a phase with nothing to collect still has one, so that it is seen. */
  async itemsOf({ section, phase, names, collect }: SectionPlan): Promise<readonly WorkItem[]> {
    try {
      const found = await names();
      const items = found.map((name) => ({
        phase,
        name,
        run: async () => await this.#attempt(section, name, collect),
      }));
      return items.length > 0
        ? items
        : [{ phase, name: phase, run: async () => Promise.resolve('nothing to collect') }];
    } catch (error) {
      const line = this.#note(section, errorText(error));
      return [{ phase, name: phase, run: async () => Promise.resolve(line) }];
    }
  }

  async #attempt(section: BrainSection, name: string, collect: SectionPlan['collect']): Promise<string> {
    try {
      return await collect(name);
    } catch (error) {
      return this.#note(section, errorText(error));
    }
  }

  #note(section: BrainSection, reason: string): string {
    const reasons = this.#problems.get(section) ?? [];
    this.#problems.set(section, reasons);
    reasons.push(reason);
    return `not collected: ${reason}`;
  }
}
