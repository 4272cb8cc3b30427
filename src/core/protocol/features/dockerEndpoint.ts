import { isRecord } from '../events/jsonGuards';
import { readRecord, recordAt, textAt } from './jsonFields';

/** Where a container engine listens. */
export type DockerEndpoint =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** Folder with `ca.pem`, `cert.pem` and `key.pem`; null without TLS. */
      readonly certFolder: string | null;
    };

/** How the person's command line finds its engine. */
export interface DockerSetting {
  /** As in DOCKER_HOST; null for the system's own. */
  readonly host: string | null;
  readonly certFolder: string | null;
  readonly platform: NodeJS.Platform;
}

const PORT = 2375;
const TLS_PORT = 2376;

/** The engine that a setting names; null for a kind of address that is not asked, such as one over SSH. */
export function dockerEndpoint({ host, certFolder, platform }: DockerSetting): DockerEndpoint | null {
  if (host === null) {
    return { kind: 'socket', path: platform === 'win32' ? '//./pipe/docker_engine' : '/var/run/docker.sock' };
  }
  const socket = /^(?:unix|npipe):\/\/(.+)$/.exec(host)?.[1];
  return socket === undefined ? tcpEndpoint(host, certFolder) : { kind: 'socket', path: socket };
}

function tcpEndpoint(host: string, certFolder: string | null): DockerEndpoint | null {
  const parts = /^(?:tcp|https?):\/\/(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/i.exec(host);
  const name = parts?.[1]?.replace(/^\[|\]$/g, '');
  if (name === undefined) {
    return null;
  }
  const port = Number(parts?.[2] ?? (certFolder === null ? PORT : TLS_PORT));
  return { kind: 'tcp', host: name, port, certFolder };
}

/** The name of the context that docker's `config.json` says; null for the default one. Never throws. */
export function contextIn(configText: string): string | null {
  const name = textAt(readRecord(configText) ?? {}, 'currentContext');
  return name === 'default' ? null : name;
}

/** The address in a context's `meta.json`, as in DOCKER_HOST; null where it has none. Never throws. */
export function hostInContext(metaText: string): string | null {
  return textAt(recordAt(recordAt(readRecord(metaText) ?? {}, 'Endpoints'), 'docker'), 'Host');
}

/** Reads an endpoint back from JSON; null where it is none. */
export function readDockerEndpoint(value: unknown): DockerEndpoint | null {
  if (!isRecord(value)) {
    return null;
  }
  const { kind, path, host, port, certFolder } = value;
  if (kind === 'socket' && typeof path === 'string') {
    return { kind, path };
  }
  return kind === 'tcp' && typeof host === 'string' && typeof port === 'number'
    ? { kind, host, port, certFolder: typeof certFolder === 'string' ? certFolder : null }
    : null;
}
