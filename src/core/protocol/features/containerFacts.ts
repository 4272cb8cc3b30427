import { isRecord } from '../events/jsonGuards';
import { type JsonRecord, numberAt, recordAt, recordsAt, textAt, textsAt } from './jsonFields';
import type { ContainerEvidence } from './liveEvidence';
import { workerKey } from './workerKey';

/** What is kept of a container that an engine shows: its state, and by what it can be told whose it is. */
export interface ContainerFacts extends ContainerEvidence {
  /** The folder of this machine that is its `/workspace`. */
  readonly workspace: string;
}

/** The names of the real tool's containers begin so. */
export const CONTAINER_NAME = 'zerg-worker-';

/**
 * Reads what `docker inspect` says of one container; null where it is no worker's. Two of its variables are looked at
 * and nothing else of its environment, which holds an API key, gets out of here (features.md §1). Never throws.
 */
export function containerFacts(inspected: unknown): ContainerFacts | null {
  const record = isRecord(inspected) ? inspected : {};
  const name = /^\/?zerg-worker-(\w{1,64})$/.exec(textAt(record, 'Name') ?? '')?.[1];
  const variables = textsAt(recordAt(record, 'Config'), 'Env') ?? [];
  const feature = valueOf(variables, 'ZERG_FEATURE');
  const worker = workerKey(valueOf(variables, 'ZERG_WORKER_ID') ?? name);
  const workspace = workspaceOf(record);
  const id = textAt(record, 'Id');
  return name === undefined || feature === null || worker === null || workspace === null || id === null
    ? null
    : { feature, worker, id, workspace, ...stateOf(recordAt(record, 'State')) };
}

/** Reads back what a list of `ContainerFacts` became on its way through a pipe; null where it is none. */
export function readContainerFacts(value: unknown): readonly ContainerFacts[] | null {
  return Array.isArray(value) ? value.filter(isContainerFacts) : null;
}

function isContainerFacts(value: unknown): value is ContainerFacts {
  return (
    isRecord(value) &&
    [value['feature'], value['worker'], value['id'], value['workspace']].every((text) => typeof text === 'string')
  );
}

function valueOf(variables: readonly string[], name: string): string | null {
  const value = variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1);
  return value === undefined || value === '' ? null : value;
}

function workspaceOf(record: JsonRecord): string | null {
  const bound = recordsAt(record, 'Mounts').find(
    (mount) => mount['Type'] === 'bind' && mount['Destination'] === '/workspace',
  );
  return bound === undefined ? null : textAt(bound, 'Source');
}

function stateOf(state: JsonRecord): Pick<ContainerFacts, 'state' | 'unhealthy' | 'exitCode' | 'oomKilled'> {
  const status = textAt(state, 'Status') ?? '';
  const ended = status === 'exited' || status === 'dead';
  return {
    state: ended ? 'exited' : status === 'running' ? 'running' : 'other',
    unhealthy: status === 'running' && recordAt(state, 'Health')['Status'] === 'unhealthy',
    exitCode: ended ? numberAt(state, 'ExitCode') : null,
    oomKilled: state['OOMKilled'] === true,
  };
}
