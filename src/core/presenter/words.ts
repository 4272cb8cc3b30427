/**
 * Turns an English sentence with `{0}` places into the reader's language; the call shape of `vscode.l10n.t`. Every
 * call names its sentence literally, so that a test can hold the translations complete.
 */
export type Translate = (sentence: string, ...values: (string | number)[]) => string;

/** The sentence itself with its places filled in one pass; for surfaces that speak English only. */
export const plainEnglish: Translate = (sentence, ...values) =>
  sentence.replace(/\{(\d+)\}/g, (place: string, index: string) => String(values[Number(index)] ?? place));

/** What a presenter must be told about the reader: the instant, their clock and their language. */
export interface Reader {
  /** Epoch milliseconds that ages are counted to. */
  readonly now: number;
  /** `HH:mm:ss` of an instant (epoch milliseconds) in the reader's time zone. */
  readonly timeOfDay: (at: number) => string;
  /** `YYYY-MM-DD HH:mm` of an instant in the reader's time zone. */
  readonly dayAndTime: (at: number) => string;
  readonly t: Translate;
}
