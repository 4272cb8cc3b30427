import type { RegistryDocument } from '../protocol/workers/registryDocument';

/** Gives the changed document, or null when it wants no change. It runs under the lock. */
export type RegistryChange = (document: RegistryDocument) => Promise<RegistryDocument | null> | RegistryDocument | null;

/** A change that waits for its turn. */
export interface WaitingChange<T> {
  readonly change: RegistryChange;
  /** Makes the registry where there is none. */
  readonly create: boolean;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Lets the document go through the changes one after another, so that each sees what the earlier ones did. Twenty starts
 * at once cost one write of the registry, not twenty. One that throws is rejected and leaves the document as it was.
 * Gives null when none of them wanted a change.
 */
export async function changeTogether<T>(
  document: RegistryDocument,
  changes: readonly WaitingChange<T>[],
): Promise<RegistryDocument | null> {
  let now = document;
  for (const waiting of changes) {
    try {
      now = (await waiting.change(now)) ?? now;
    } catch (error) {
      waiting.reject(error);
    }
  }
  return now === document ? null : now;
}
