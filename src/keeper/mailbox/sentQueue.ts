import { oldestBeyond } from '../../core/base/oldestBeyond';
import type { Place } from './spoolFile';

/** So many processes of the agent are remembered by their numbers. */
const MAX_RUNS = 256;

/** What the agent sent and the leader has not got in its log yet, numbered from 1 without gaps. */
export class SentQueue {
  #places: Place[] = [];
  /** Number of the first of `#places`. */
  #first = 1;
  readonly #runs = new Map<string, number>();

  /** The highest number given so far. */
  get last(): number {
    return this.#first + this.#places.length - 1;
  }

  get first(): number {
    return this.#first;
  }

  get places(): readonly Place[] {
    return this.#places;
  }

  /** The highest number of each process, the one that sent last at the end. */
  get runs(): readonly (readonly [string, number])[] {
    return [...this.#runs];
  }

  /** Takes over what the head of a spool says. */
  remember(first: number, runs: SentQueue['runs']): void {
    this.#first = first;
    this.#places = [];
    this.#runs.clear();
    for (const [run, n] of runs) {
      this.#note(run, n);
    }
  }

  /** Whether this process sent that before and it was accepted. */
  isKnown(run: string, n: number): boolean {
    return n <= (this.#runs.get(run) ?? 0);
  }

  add(place: Place, run: string | undefined, n: number | undefined): void {
    this.#places.push(place);
    if (run !== undefined && n !== undefined) {
      this.#note(run, n);
    }
  }

  placeOf(number: number): Place | null {
    return this.#places[number - this.#first] ?? null;
  }

  /** The leader has everything up to this number. Gives the places of what it had not before. */
  take(upTo: number): readonly Place[] {
    const taken = this.#places.splice(0, Math.max(0, upTo + 1 - this.#first));
    this.#first += taken.length;
    return taken;
  }

  /** Moves the numbers of all that is not taken. */
  shift(by: number): void {
    this.#first += by;
  }

  /** The file was written anew. */
  move(places: readonly Place[]): void {
    this.#places = [...places];
  }

  #note(run: string, n: number): void {
    this.#runs.delete(run);
    this.#runs.set(run, n);
    const oldest = oldestBeyond(this.#runs, MAX_RUNS);
    if (oldest !== undefined) {
      this.#runs.delete(oldest);
    }
  }
}
