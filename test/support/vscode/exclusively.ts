import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Runs `work` while no other process of this machine runs work under the same `name`; waits for its turn.
 * The lock is an abstract Unix socket (Linux): the kernel frees it when its owner dies, so it can't go stale and needs no
 * pid to compare.
 */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const address = `\0${name}`;
  const waiting = new Set<Socket>();
  let lock = await tryListen(address, waiting);
  while (lock === undefined) {
    await ownerGone(address);
    lock = await tryListen(address, waiting);
  }
  try {
    return await work();
  } finally {
    lock.close();
    for (const socket of waiting) {
      socket.destroy();
    }
  }
}

async function tryListen(address: string, waiting: Set<Socket>): Promise<Server | undefined> {
  const server = createServer((socket) => {
    waiting.add(socket);
    // A waiter that dies is no concern of the owner.
    socket.on('error', () => undefined);
  });
  return await new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        resolve(undefined);
      } else {
        reject(error);
      }
    });
    server.listen(address, () => {
      resolve(server);
    });
  });
}

async function ownerGone(address: string): Promise<void> {
  const socket = connect(address);
  // Refused or reset: the owner went away between the two calls, which is what we wait for.
  socket.on('error', () => undefined);
  socket.resume();
  if (!socket.closed) {
    await once(socket, 'close').catch(() => undefined);
  }
}
