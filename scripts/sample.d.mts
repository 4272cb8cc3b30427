/** Makes `folder` a sample project, adding only what is missing; `fresh` removes an older sample first. Returns its path. */
export function prepareSample(folder?: string, options?: { readonly fresh?: boolean }): Promise<string>;

export function installSampleRuntime(path: string): void;
