/** Source of unguessable ids; injected so that tests repeat. Gives `bytes` random bytes as lower-case hex. */
export type RandomHex = (bytes: number) => string;
