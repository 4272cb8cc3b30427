/** The version of every document that the CLI prints; it changes when a key goes or changes its meaning. */
export const SCHEMA = 1;
