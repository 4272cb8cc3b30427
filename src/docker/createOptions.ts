import { existsSync } from 'node:fs';
import type Docker from 'dockerode';
import type { ContainerOrder } from '../core/protocol/keeper/containerOrder';

const MEGABYTE = 1024 * 1024;
/** More processes than any worker needs, and fewer than hurt a machine. */
const MAX_PROCESSES = 4096;

/**
 * The engine's words for an order: no network, no new privileges, the project to read and its own folder to write. Its
 * output goes into files of bounded size, whatever the engine does by default, because it is read from there.
 */
export function createOptions(order: ContainerOrder): Docker.ContainerCreateOptions {
  const { name, image, labels, command, env, cwd, memoryBytes, user } = order;
  return {
    name,
    Image: image,
    Labels: { ...labels },
    Entrypoint: [],
    Cmd: [...command],
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    WorkingDir: cwd,
    Tty: false,
    ...(user === null ? {} : { User: user }),
    HostConfig: {
      Mounts: mountsOf(order),
      NetworkMode: 'none',
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: MAX_PROCESSES,
      ...(memoryBytes === null ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
      LogConfig: { Type: 'json-file', Config: { 'max-size': String(50 * MEGABYTE), 'max-file': '3' } },
    },
  };
}

function mountsOf({ readable, writable, sealed }: ContainerOrder): Docker.MountSettings[] {
  const bind = (path: string, isReadOnly: boolean): Docker.MountSettings => ({
    Type: 'bind',
    Source: path,
    Target: path,
    ReadOnly: isReadOnly,
  });
  return [
    ...readable.map((path) => bind(path, true)),
    ...writable.map((path) => bind(path, false)),
    ...sealed.filter(existsSync).map((path) => bind(path, true)),
  ];
}
