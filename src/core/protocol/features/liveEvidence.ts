import { workerKey } from './workerKey';

/** A container of a worker of this project: its feature was read from its environment, of which nothing else is kept. */
export interface ContainerEvidence {
  readonly feature: string;
  readonly worker: string;
  readonly id: string;
  readonly state: 'running' | 'exited' | 'other';
  readonly unhealthy: boolean;
  readonly exitCode: number | null;
  readonly oomKilled: boolean;
}

/** A process of this project whose command line names a feature: one of its workers, or its orchestrator (null). */
export interface ProcessEvidence {
  readonly feature: string;
  readonly worker: string | null;
  readonly pid: number;
}

/** What the machine says beside the files; a side that was not asked is null. `--at` asks neither. */
export interface LiveEvidence {
  readonly processes: readonly ProcessEvidence[] | null;
  readonly containers: readonly ContainerEvidence[] | null;
}

/** The files alone. */
export const filesAlone: LiveEvidence = { processes: null, containers: null };

/** The feature and the worker that a command line names, as `--flag value` or `--flag=value`; null without a feature. */
export function namedInCommand(args: readonly string[]): Omit<ProcessEvidence, 'pid'> | null {
  const feature = flagValue(args, '--feature');
  return feature === null ? null : { feature, worker: workerKey(flagValue(args, '--worker-id')) };
}

function flagValue(args: readonly string[], flag: string): string | null {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const found = args[at];
  const value = found === flag ? args[at + 1] : found?.slice(flag.length + 1);
  return value === undefined || value === '' ? null : value;
}
