import { isRecord, readJson } from '../events/jsonGuards';
import { readDockerEndpoint } from '../features/dockerEndpoint';
import type { ContainerEnd, ContainerJob, ContainerOrder, ContainerPlace } from './containerOrder';

/** Reads a place back from JSON; null where it is none. */
export function readContainerPlace(value: unknown): ContainerPlace | null {
  if (!isRecord(value) || typeof value['name'] !== 'string') {
    return null;
  }
  const endpoint = readDockerEndpoint(value['endpoint']);
  return endpoint === null ? null : { endpoint, name: value['name'] };
}

/** Whether a value has the shape of an order; the sender is our own launcher, so it is the shape that counts. */
export function isContainerOrder(value: unknown): value is ContainerOrder {
  return (
    isRecord(value) &&
    readContainerPlace(value) !== null &&
    [value['image'], value['cwd']].every((text) => typeof text === 'string') &&
    [value['command'], value['readable'], value['writable'], value['sealed']].every(isTexts) &&
    [value['labels'], value['env']].every((record) => isRecord(record) && isTexts(Object.values(record))) &&
    (value['memoryBytes'] === null || typeof value['memoryBytes'] === 'number') &&
    (value['user'] === null || typeof value['user'] === 'string')
  );
}

/** Reads a job from its JSON text; null where it is none. */
export function readContainerJob(text: string): ContainerJob | null {
  const value = readJson(text);
  if (!isRecord(value)) {
    return null;
  }
  const { order = null, endFile, positionFile } = value;
  const place = readContainerPlace(value['place']);
  return place !== null &&
    (order === null || isContainerOrder(order)) &&
    typeof endFile === 'string' &&
    typeof positionFile === 'string'
    ? { place, order, endFile, positionFile }
    : null;
}

/** Reads an end from its JSON text; null where it is none. */
export function readContainerEnd(text: string): ContainerEnd | null {
  const value = readJson(text);
  if (!isRecord(value)) {
    return null;
  }
  const { code = null, oomKilled, refusal = null } = value;
  return (code === null || typeof code === 'number') && (refusal === null || typeof refusal === 'string')
    ? { code, oomKilled: oomKilled === true, refusal }
    : null;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
