import { basename } from 'node:path';
import { featureText } from '../core/presenter/features/featureText';
import { plainLine } from '../core/presenter/plainText';
import type { FeaturesSnapshot } from '../core/protocol/features/featureSnapshot';
import type { FleetProblem, FleetSnapshot } from '../core/protocol/snapshot';
import { statusTable } from '../core/protocol/workers/statusTable';
import type { CliContext, GlobalOptions } from './cliContext';
import { featureStatusJson } from './json/featureStatusJson';
import { statusJson } from './json/statusJson';
import { colourTable } from './text/colourTable';
import { sessionTable } from './text/sessionTable';

export interface StatusOptions extends GlobalOptions {
  /** Only this feature run, without the workers' table. */
  readonly feature?: string;
  readonly tasks?: true;
  readonly workers?: true;
  readonly watch?: true;
  /** An instant as it was written; a look at it writes nothing. */
  readonly at?: string;
  /** The zone of naive times in the files of feature runs. */
  readonly tz?: string;
}

/** Both protocols at one moment. */
export interface StatusLook {
  readonly fleet: FleetSnapshot;
  readonly features: FeaturesSnapshot;
}

/** Problems that keep the registry's rows from being read; without a row then nothing is known, not "no workers". */
const BLINDING: ReadonlySet<FleetProblem['code']> = new Set([
  'unsafe-root',
  'registry-corrupt',
  'registry-version',
  'registry-unreadable',
]);

/** Whether nothing can be told about the workers. */
export function isBlind({ workers, problems }: FleetSnapshot): boolean {
  return workers.length === 0 && problems.some(({ code }) => BLINDING.has(code));
}

/** The document of `status --json`. */
export function lookJson({ fleet, features }: StatusLook, { at }: StatusOptions): object {
  const { configDiagnostics } = fleet;
  return { ...statusJson(fleet), ...featureStatusJson(features, { at: at ?? null, configDiagnostics }) };
}

/** What keeps a look from being whole, a sentence each; what a file says is made fit for a line. */
export function problemLines({ fleet, features }: StatusLook): readonly string[] {
  return [...fleet.problems.map(({ message }) => message), ...features.diagnostics].map((line) =>
    plainLine(line, 1_000),
  );
}

/** The workers' table and the session, unless one feature is asked for, and the dashboards. No final newline. */
export function lookText(context: CliContext, { fleet, features }: StatusLook, options: StatusOptions): string {
  const tables = { tasks: options.tasks === true, workers: options.workers === true };
  const dashboards = featureText(basename(fleet.root), features, tables);
  const withTable = options.feature === undefined && !isBlind(fleet);
  const table = withTable ? statusTable(fleet.workers, fleet.maxConcurrent) : '';
  const session = options.feature === undefined && fleet.session !== null ? sessionTable(fleet) : '';
  const parts = [context.colour ? colourTable(table) : table, session, dashboards];
  return parts.filter((part) => part !== '').join('\n\n');
}
