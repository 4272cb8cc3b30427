/** A line of the form `Label: value`, e.g. `Tags: a, b`. */
export interface LabelledValue {
  /** Lower-case. */
  readonly label: string;
  readonly value: string;
}

const LABELLED = /^[^\p{L}]{0,4}([\p{L}][\p{L} -]{1,30}?)\s*:\s*(\S.*)$/u;

/**
 * The labelled values in one line of plain text. A line may hold several as sentences: `Pattern: a. Pattern: b.`
 * A final full stop is no part of a value.
 */
export function labelledValues(line: string): readonly LabelledValue[] {
  return line.split(/(?<=[.;])\s+(?=\p{Lu})/u).flatMap((sentence) => {
    const [, label, value] = LABELLED.exec(sentence) ?? [];
    return label === undefined || value === undefined
      ? []
      : [{ label: label.toLowerCase(), value: value.replace(/[.;]$/, '').trim() }];
  });
}

/** The entries of a value such as `a, b; c`. */
export function listedIn(value: string): readonly string[] {
  return value
    .split(/[,;]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
