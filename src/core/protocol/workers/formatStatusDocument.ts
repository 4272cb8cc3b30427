import type { StatusDocument } from './registryEntry';

/** The text of a status.json exactly as the protocol writes it: seven keys in order, two spaces, a final newline. */
export function formatStatusDocument(document: StatusDocument): string {
  const { worker_id, type, status, started_at, completed_at, progress, error } = document;
  const shown = progress === null ? null : orderedProgress(progress);
  const keys = { worker_id, type, status, started_at, completed_at, progress: shown, error };
  return `${JSON.stringify(keys, null, 2)}\n`;
}

function orderedProgress(progress: NonNullable<StatusDocument['progress']>): object {
  const { phase, items_processed, total_items } = progress;
  return { phase, items_processed, total_items };
}
