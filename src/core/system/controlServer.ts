import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorText } from '../base/errorText';
import type { ControlAnswer, ControlEvent, ControlFault, Hello } from '../protocol/keeper/control';
import { ControlError, MAX_CONTROL_BYTES, parseMessage, readHello } from './controlMessage';
import { LineBuffer } from './lineBuffer';
import { listenLocal } from './localServer';

/** Who is at the other end of a connection. */
export interface ControlPeer {
  /** Epoch of the caller's lease; 0 for callers that only look. */
  readonly epoch: number;
  /** Sends events to this caller alone, by one write; resolves once the system took them. False when the connection is over. */
  tell(events: readonly ControlEvent[]): Promise<boolean>;
}

/** Answers one request. What it throws travels as a fault; a `ControlError` keeps its code. */
export type ControlMethod = (params: unknown, peer: ControlPeer) => unknown;

export interface ControlServerOptions {
  readonly endpoint: string;
  readonly nonce: string;
  /** Callers with a lower epoch are refused, except 0. Asked again at every request, so an old connection is fenced. */
  readonly minEpoch: () => number;
  readonly methods: Readonly<Record<string, ControlMethod>>;
  /** Called after each good hello, before the first request of that connection. */
  readonly onConnection?: (peer: ControlPeer) => void;
  /** Called once when such a connection has ended. */
  readonly onDisconnect?: (peer: ControlPeer) => void;
}

export interface ControlServer {
  /** Sends an event to every connection whose hello was good. */
  broadcast(event: string, params: unknown): void;
  /** How many good connections are open. */
  connections(): number;
  /** Makes the socket file again when it is gone; open connections stay. Rejects when that is not possible. */
  ensureListening(): Promise<void>;
  /** Ends every connection after what was sent to it, and removes the socket file. */
  dispose(): void;
}

/** Listens on a private pipe (lifecycle §1). Rejects when another living process answers on the endpoint. */
export async function serveControl(options: ControlServerOptions): Promise<ControlServer> {
  const peers = new Set<Socket>();
  const accept = (socket: Socket): void => {
    serveSocket(socket, options, peers);
  };
  const server = await listenLocal(options.endpoint, accept);
  return {
    broadcast(event, params) {
      for (const socket of peers) {
        send(socket, { event, params });
      }
    },
    connections: () => peers.size,
    ensureListening: async () => {
      await server.ensureListening();
    },
    dispose() {
      server.close();
      for (const socket of peers) {
        socket.end();
      }
    },
  };
}

function serveSocket(socket: Socket, options: ControlServerOptions, peers: Set<Socket>): void {
  const buffer = new LineBuffer(MAX_CONTROL_BYTES);
  let peer: ControlPeer | null = null;
  const onLine = (line: string): void => {
    if (peer !== null) {
      void answer(socket, line, peer, options);
      return;
    }
    const hello = greet(socket, line, options);
    if (hello !== null) {
      peer = {
        epoch: hello.epoch,
        tell: async (events) => await tell(socket, events),
      };
      peers.add(socket);
      options.onConnection?.(peer);
    }
  };
  socket.on('data', (piece: Buffer) => {
    for (const line of buffer.push(piece)) {
      if (line === null) {
        refuse(socket, { code: 'too-long', message: 'A line of the control protocol is longer than 4 MiB.' });
        break;
      }
      onLine(line);
    }
  });
  socket.on('error', () => {
    // The caller left in the middle; `close` follows and cleans up.
  });
  socket.on('close', () => {
    if (peers.delete(socket) && peer !== null) {
      options.onDisconnect?.(peer);
    }
  });
}

/** Checks the first line; answers it, or refuses and hangs up. */
function greet(socket: Socket, line: string, options: ControlServerOptions): Hello | null {
  const hello = readHello(line);
  if (hello === null || !sameSecret(hello.nonce, options.nonce)) {
    refuse(socket, { code: 'bad-hello', message: 'The caller does not know this pipe; read its record again.' });
    return null;
  }
  const fault = staleFault(hello.epoch, options);
  if (fault !== null) {
    refuse(socket, fault);
    return null;
  }
  send(socket, { id: 0, result: null });
  return hello;
}

async function answer(socket: Socket, line: string, peer: ControlPeer, options: ControlServerOptions): Promise<void> {
  const { id, method, params } = parseMessage(line) ?? {};
  if (typeof id !== 'number' || typeof method !== 'string') {
    refuse(socket, { code: 'bad-request', message: 'A line is not a request of the control protocol.' });
    return;
  }
  try {
    const stale = staleFault(peer.epoch, options);
    const run = Object.hasOwn(options.methods, method) ? options.methods[method] : undefined;
    if (stale !== null || run === undefined) {
      throw new ControlError(stale ?? { code: 'unknown-method', message: `This pipe has no method ${method}.` });
    }
    const result: unknown = await run(params, peer);
    send(socket, { id, result: result ?? null });
  } catch (error) {
    send(socket, { id, error: faultOf(error) });
  }
}

function staleFault(epoch: number, options: ControlServerOptions): ControlFault | null {
  if (epoch === 0 || epoch >= options.minEpoch()) {
    return null;
  }
  return { code: 'stale-epoch', message: 'Another process leads this project now; ask that one.' };
}

function faultOf(error: unknown): ControlFault {
  return { code: error instanceof ControlError ? error.code : 'failed', message: errorText(error) };
}

function send(socket: Socket, message: ControlAnswer | ControlEvent): void {
  if (socket.writable) {
    socket.write(lineOf(message));
  }
}

function lineOf(message: ControlAnswer | ControlEvent): string {
  return `${JSON.stringify(message)}\n`;
}

async function tell(socket: Socket, events: readonly ControlEvent[]): Promise<boolean> {
  return await new Promise((resolve) => {
    if (!socket.writable) {
      resolve(false);
      return;
    }
    // The callback comes with an error too when the connection ends first.
    socket.write(events.map(lineOf).join(''), (error) => {
      resolve(error === undefined || error === null);
    });
  });
}

function refuse(socket: Socket, fault: ControlFault): void {
  send(socket, { id: 0, error: fault });
  socket.destroySoon();
}

function sameSecret(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
