/** A larger status.json is not read (workers.md §4.11). */
export const STATUS_MAX_BYTES = 64 * 1024;

/** A larger registry.json is not read: thousands of workers fit, a runaway file does not. */
export const REGISTRY_MAX_BYTES = 8 * 1024 * 1024;
