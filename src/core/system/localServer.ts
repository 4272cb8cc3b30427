import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { errorCode } from '../base/errorText';
import { assertEndpointLength } from './runtimeDir';

/** Listens on one local socket or Windows pipe. */
export interface LocalServer {
  /** Makes the socket file again when it is gone; open connections stay. Rejects when that is not possible. */
  ensureListening(): Promise<void>;
  /** Takes no new connections and removes the socket file; open connections stay. */
  close(): void;
}

/**
 * Listens on a local endpoint that only this user may connect to. Replaces a socket that nobody answers on; rejects with
 * EADDRINUSE when another living process does, and when the system would cut the path.
 */
export async function listenLocal(endpoint: string, accept: (socket: Socket) => void): Promise<LocalServer> {
  assertEndpointLength(endpoint);
  let server = await listenOn(endpoint, accept);
  return {
    async ensureListening() {
      if (!socketFileExists(endpoint)) {
        // Closing first: it unlinks the path, and must not unlink the new file.
        server.close();
        server = await listenOn(endpoint, accept);
      }
    },
    close() {
      server.close();
    },
  };
}

async function listenOn(endpoint: string, accept: (socket: Socket) => void): Promise<Server> {
  try {
    return await listenOnce(endpoint, accept);
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE' || (await someoneAnswers(endpoint))) {
      throw error;
    }
    removeDeadSocket(endpoint);
    return await listenOnce(endpoint, accept);
  }
}

async function listenOnce(endpoint: string, accept: (socket: Socket) => void): Promise<Server> {
  return await new Promise((resolve, reject) => {
    const server = createServer(accept);
    server.once('error', reject);
    server.listen(endpoint, () => {
      if (process.platform !== 'win32') {
        chmodSync(endpoint, 0o600);
      }
      server.off('error', reject);
      server.on('error', () => {
        // A failed accept, e.g. too many open files: the caller tries again, this server goes on.
      });
      resolve(server);
    });
  });
}

async function someoneAnswers(endpoint: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = connect(endpoint);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => {
      resolve(errorCode(error) !== 'ECONNREFUSED' && errorCode(error) !== 'ENOENT');
    });
  });
}

function removeDeadSocket(endpoint: string): void {
  if (lstatSync(endpoint, { throwIfNoEntry: false })?.isSocket() === true) {
    rmSync(endpoint, { force: true });
  }
}

function socketFileExists(endpoint: string): boolean {
  return process.platform === 'win32' || lstatSync(endpoint, { throwIfNoEntry: false })?.isSocket() === true;
}
