import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectToWatchdog } from '../../src/agent/agent';
import { LineBuffer } from '../../src/core/system/lineBuffer';

/**
 * One of two who talk to each other, over a session (our runtime) or over the bare relay:
 * `talkerScript <folder> <name> <partner> latency|rate <count> session|<socket of the relay>`.
 */
interface Line {
  /** Resolves when the other side is sure to get it: on the relay, when it has it. */
  send(payload: Payload): Promise<void>;
  listen(hear: (payload: Payload) => void): void;
}

interface Payload {
  readonly k: number;
  /** `process.hrtime`, which all processes of a machine share, nanoseconds. */
  readonly at: string;
}

/** So many messages are on their way at most. */
const AHEAD = 32;
const WARM_UP = 200;
const GO_LOOK_MS = 20;

const [folder = '', name = '', partner = '', mode = '', amount = '', wire = ''] = process.argv.slice(2);
const count = Number(amount);

async function sessionLine(): Promise<Line> {
  const agent = await connectToWatchdog();
  return {
    send: async (payload) => {
      await agent.sendMessage({ to: partner, type: 'PlanUpdate', payload: { ...payload } });
    },
    listen: (hear) => {
      void agent.enterAgentLoop(async ({ type, payload }) => {
        if (type === 'PlanUpdate') {
          hear(payload as unknown as Payload);
        }
        return Promise.resolve();
      });
    },
  };
}

/** The same messages as lines, each confirmed by its recipient. */
async function relayLine(): Promise<Line> {
  const socket = connect(wire);
  const unconfirmed = new Map<number, () => void>();
  const lines = new LineBuffer(1024 * 1024);
  let hear: (payload: Payload) => void = () => undefined;
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`${[name, partner].sort().join(' ')}\n`);
  socket.on('data', (piece: Buffer) => {
    for (const line of lines.push(piece)) {
      const { payload, ack } = JSON.parse(line ?? '') as { readonly payload?: Payload; readonly ack?: number };
      if (payload !== undefined) {
        socket.write(`${JSON.stringify({ ack: payload.k })}\n`);
        hear(payload);
      }
      unconfirmed.get(ack ?? 0)?.();
    }
  });
  return {
    send: async (payload) => {
      const message = { id: `msg-20260301-143022-${name}`, type: 'PlanUpdate', from: name, to: partner, payload };
      await new Promise<void>((resolve) => {
        unconfirmed.set(payload.k, () => {
          unconfirmed.delete(payload.k);
          resolve();
        });
        socket.write(`${JSON.stringify(message)}\n`);
      });
    },
    listen: (listener) => {
      hear = listener;
    },
  };
}

function now(): string {
  return String(process.hrtime.bigint());
}

/** Each message is the answer to the one before; what is noted is the way of each, microseconds. */
async function measureLatency(line: Line): Promise<readonly number[]> {
  const ways: number[] = [];
  await new Promise<void>((resolve) => {
    line.listen(({ k, at }) => {
      ways.push(Number(process.hrtime.bigint() - BigInt(at)) / 1000);
      if (k < 2 * (count + WARM_UP)) {
        void line.send({ k: k + 1, at: now() });
      }
      if (k >= 2 * (count + WARM_UP) - 1) {
        resolve();
      }
    });
    void begin(() => {
      if (name < partner) {
        void line.send({ k: 1, at: now() });
      }
    });
  });
  return ways.slice(WARM_UP);
}

/** Both send as fast as they can; noted are the beginning and the end, nanoseconds, and how many were heard. */
async function measureRate(line: Line): Promise<readonly number[]> {
  let heard = 0;
  const allHeard = new Promise<void>((resolve) => {
    line.listen(() => {
      heard += 1;
      if (heard === count) {
        resolve();
      }
    });
  });
  let sent = 0;
  const talk = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      await line.send({ k: sent, at: '0' });
    }
  };
  let from = 0n;
  await begin(() => {
    from = process.hrtime.bigint();
  });
  await Promise.all([allHeard, ...Array.from({ length: AHEAD }, talk)]);
  return [Number(from), Number(process.hrtime.bigint()), heard];
}

/** All begin together. */
async function begin(start: () => void): Promise<void> {
  writeFileSync(join(folder, `${name}.ready`), '');
  while (!existsSync(join(folder, 'go'))) {
    await pause(GO_LOOK_MS);
  }
  start();
}

async function main(): Promise<void> {
  const line = wire === 'session' ? await sessionLine() : await relayLine();
  const figures = mode === 'rate' ? await measureRate(line) : await measureLatency(line);
  writeFileSync(join(folder, `${name}.part`), JSON.stringify(figures));
  writeFileSync(join(folder, `${name}.done`), '');
}

void main();
