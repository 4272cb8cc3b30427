/** More different words than this are not told apart in one case; a case of a novel's length stays below. */
const MAX_DISTINCT = 50_000;
const MAX_TERMS = 20;
const MIN_WORD = 4;

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'about above after again against also although always among another because been before being below between both ' +
    'cannot case cases could does doing done down during each either else even every first from further have having here ' +
    'however into itself just less like made make many more most much must need needs never none only other others ours ' +
    'over same second several shall should since some still such take than that their them then there these they thing ' +
    'things this those though three through times under until upon used uses using very were what when where whether ' +
    'which while whom whose will with within without would year years your ' +
    'более была были было быть весь всех всегда даже если есть также тогда того тоже только чтобы через хотя этого этой ' +
    'этом этот когда которая которые который между может можно надо него однако около очень перед после потому почти при ' +
    'чего один одна одно свои себя такой также там них'
  ).split(' '),
);

const WORD = /[\p{L}][\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*/gu;

/**
 * Counts the words of one case, and the pairs of words that stand side by side. Memory is bounded whatever the text.
 */
export class TermCounter {
  readonly #words = new Map<string, number>();
  readonly #pairs = new Map<string, number>();

  /** Counts one line of plain text; a pair never spans a full stop, a comma or two lines. */
  take(line: string): void {
    for (const clause of line.split(/[.,;:!?()"“”«»]+/)) {
      let before: string | null = null;
      for (const [found] of clause.matchAll(WORD)) {
        const word = found.toLowerCase();
        const counts = word.length >= MIN_WORD && !STOP_WORDS.has(word);
        if (counts) {
          increase(this.#words, word);
        }
        if (counts && before !== null) {
          increase(this.#pairs, `${before} ${word}`);
        }
        before = counts ? word : null;
      }
    }
  }

  /** The case's repeated terms: pairs that stand at least twice, words at least three times; the most frequent first. */
  terms(): readonly string[] {
    const pairs = [...this.#pairs].filter(([, count]) => count >= 2);
    const words = [...this.#words].filter(([, count]) => count >= 3);
    const ranked = [...pairs, ...words].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return ranked.slice(0, MAX_TERMS).map(([term]) => term);
  }
}

function increase(counts: Map<string, number>, key: string): void {
  const count = counts.get(key);
  if (count !== undefined || counts.size < MAX_DISTINCT) {
    counts.set(key, (count ?? 0) + 1);
  }
}
