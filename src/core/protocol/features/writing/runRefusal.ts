/** Why a feature run was not written to; the codes are a part of those of `HostApi`. */
export interface RunRefusal {
  readonly code: 'not-found' | 'ambiguous' | 'wrong-state' | 'failed' | 'read-only' | 'disk-full' | 'unsafe-root';
  /** Ends in what the person can do. */
  readonly message: string;
}
