const RESET = '\u001B[0m';
const COLOURS: Readonly<Record<string, string>> = {
  starting: '\u001B[36m',
  running: '\u001B[32m',
  completing: '\u001B[32m',
  completed: '\u001B[32m',
  failed: '\u001B[31m',
  'stop-requested': '\u001B[33m',
  stopped: '\u001B[2m',
  unknown: '\u001B[33m',
};
const ROW = /^(\S+ +\S+ +)(\S+)(.*)$/;

/** The status table for a terminal: the status words carry colour, every other character stays as it is. */
export function colourTable(table: string): string {
  return table
    .split('\n')
    .map((line) =>
      line.replace(ROW, (row: string, before: string, word: string, after: string) => {
        const colour = COLOURS[word];
        return colour === undefined ? row : `${before}${colour}${word}${RESET}${after}`;
      }),
    )
    .join('\n');
}
