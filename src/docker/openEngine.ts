import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { DockerEndpoint } from '../core/protocol/features/dockerEndpoint';

/** The client of the engine that listens there. Rejects nothing yet: nobody is asked. Throws for unreadable keys. */
export function openEngine(endpoint: DockerEndpoint): Docker {
  return new Docker(optionsFor(endpoint));
}

function optionsFor(endpoint: DockerEndpoint): Docker.DockerOptions {
  if (endpoint.kind === 'socket') {
    return { socketPath: endpoint.path };
  }
  const { host, port, certFolder } = endpoint;
  return certFolder === null ? { host, port, protocol: 'http' } : { host, port, ...credentials(certFolder) };
}

function credentials(folder: string): Docker.DockerOptions {
  const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name)));
  return { protocol: 'https', ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}
