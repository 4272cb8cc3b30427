/** Writes `dist/` with the product's programs and `window.js`, a window without VS Code, into `folder`. */
export function bundleChaosPrograms(folder: string): Promise<void>;
