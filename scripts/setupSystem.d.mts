/** The path of the first of `names` found on PATH, or undefined. */
export function findOnPath(names: readonly string[]): string | undefined;

/** The path of a Chromium or Chrome (CHROMIUM_EXECUTABLE first), or undefined. */
export function findChromium(): string | undefined;

/** True when every program for `purposes` is there now, installed by this call or before it. */
export function setupSystem(purposes?: readonly string[], say?: (line: string) => void): boolean;
