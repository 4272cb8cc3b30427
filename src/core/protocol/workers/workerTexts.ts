import { displayText } from './displayText';
import type { RegistryStatus } from './registryEntry';
import { surfaceWords, type Surface } from './surface';
import { outputDirOf } from './workerId';
import type { WorkerType } from './workerType';

/** The status table's text before the first start. */
export const nothingYetText = 'No workers have been started yet.';

/** Refusal of a start beyond the limit. */
export function limitText(maxConcurrent: number, surface: Surface): string {
  return [
    `Cannot start worker: maximum concurrent workers (${String(maxConcurrent)}) reached.`,
    `Use \`${surfaceWords[surface].status}\` to check active workers.`,
  ].join('\n');
}

/** The block that confirms a start. */
export function startedText(
  worker: { readonly workerId: string; readonly type: string; readonly model: string },
  surface: Surface,
): string {
  return [
    'Background worker started.',
    `  ID:   ${worker.workerId}`,
    `  Type: ${worker.type}`,
    `  Model: ${displayText(worker.model)}`,
    `  Output: ${outputDirOf(worker.workerId)}`,
    '',
    `Use \`${surfaceWords[surface].status}\` to check progress.`,
  ].join('\n');
}

/** Refusal of a type that nobody defined; names the valid ones. */
export function unknownTypeText(type: string, types: readonly WorkerType[]): string {
  const names = types.map(({ name }) => name).join(', ');
  return `Unknown worker type: ${displayText(type)}\nValid types: ${names}`;
}

/** Refusal of a type whose template is nowhere; says where to put it. */
export function missingTemplateText(type: WorkerType): string {
  const file = displayText(type.template ?? `${type.name}.md`);
  const place = file.includes('/') ? file : `lib/worker-templates/${file}`;
  return `No template found for worker type ${type.name}.\nCreate ${place} and start it again.`;
}

/** The lines that confirm a stop. */
export function stopText(workerId: string, surface: Surface): string {
  return [
    `Stop requested for worker ${workerId}.`,
    'Worker will stop at next safe point.',
    `Use \`${surfaceWords[surface].status}\` to confirm.`,
  ].join('\n');
}

/** The lines that confirm a stop with force: it waits for no safe point. */
export function forcedStopText(workerId: string, surface: Surface): string {
  return [
    `Stop requested for worker ${workerId}.`,
    'Its processes are ended now.',
    `Use \`${surfaceWords[surface].status}\` to confirm.`,
  ].join('\n');
}

/** Confirms that a failed worker, which was about to be retried, is left as it is. */
export function noRetryText(workerId: string): string {
  return `Worker ${workerId} will not be retried by itself.`;
}

/** What a stop of a worker that waits for the end of a rate limit says. */
export function parkedStopText(workerId: string): string {
  return `Worker ${workerId} was parked and will not go on.`;
}

/** Refusal of an id that matches no worker of the registry. */
export function notFoundText(worker: string): string {
  return `Worker ${displayText(worker)} not found in registry`;
}

/** Refusal of a stop for a worker that is not running. */
export function notRunningText(workerId: string, status: RegistryStatus): string {
  return `Worker ${workerId} is not running (status: ${status})`;
}

/** Refusal of a second polite stop; the first line is the document's, the second says how to go on. */
export function alreadyAskedText(workerId: string): string {
  return `${notRunningText(workerId, 'stop-requested')}\nIt was asked to stop already. To end it at once: \`rollcall stop ${workerId} --force\``;
}

/** Refusal of a prefix that several workers share; lists them. */
export function ambiguousText(prefix: string, workerIds: readonly string[]): string {
  const lines = workerIds.map((id) => `  ${id}`);
  return [`Several workers match ${displayText(prefix)}:`, ...lines, 'Give more of the id.'].join('\n');
}

/** The four lines for a missing or unknown subcommand. */
export function usageText(surface: Surface): string {
  const { start, status, stop, list } = surfaceWords[surface];
  return [`Usage: ${start}`, ...[status, stop, list].map((line) => `       ${line}`)].join('\n');
}
