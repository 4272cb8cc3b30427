import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ControlEvent } from '../protocol/keeper/control';
import { connectControl, type ControlClient } from './controlClient';
import { ControlError } from './controlMessage';
import { serveControl, type ControlServer, type ControlServerOptions } from './controlServer';

let folder = '';
let endpoint = '';
beforeEach(() => {
  // No long name here: the path of a socket is limited.
  folder = mkdtempSync(join(tmpdir(), 'rc-'));
  endpoint = join(folder, 's.sock');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function serve(options: Partial<ControlServerOptions> = {}): Promise<ControlServer> {
  const server = await serveControl({ endpoint, nonce: 'n1', minEpoch: () => 0, methods: {}, ...options });
  onTestFinished(() => {
    server.dispose();
  });
  return server;
}

async function open(epoch = 1, nonce = 'n1', timeoutMs = 5000): Promise<ControlClient> {
  const client = await connectControl({ endpoint, nonce, epoch, timeoutMs });
  onTestFinished(() => {
    client.dispose();
  });
  return client;
}

describe('the control protocol', () => {
  it('answers each request with its own result, also out of order', async () => {
    let finish: (result: string) => void = () => undefined;
    const slowResult = new Promise<string>((resolve) => {
      finish = resolve;
    });
    await serve({ methods: { slow: async () => await slowResult, echo: (params) => params } });
    const client = await open();
    const slow = client.request('slow', null);
    expect(await client.request('echo', { text: 'ü\n🚂' })).toEqual({ text: 'ü\n🚂' });
    finish('late');
    expect(await slow).toBe('late');
  });

  it('carries faults with their code, and plain errors as failed', async () => {
    await serve({
      methods: {
        refuse: () => {
          throw new ControlError({ code: 'not-leader', message: 'ask the other one' });
        },
        fail: async () => Promise.reject(new Error('broken')),
      },
    });
    const client = await open();
    await expect(client.request('refuse', null)).rejects.toMatchObject({
      code: 'not-leader',
      message: 'ask the other one',
    });
    await expect(client.request('fail', null)).rejects.toMatchObject({ code: 'failed', message: 'broken' });
    await expect(client.request('toString', null)).rejects.toMatchObject({ code: 'unknown-method' });
  });

  it('sends events to every caller that said a good hello, and to no other', async () => {
    const server = await serve();
    const events: ControlEvent[] = [];
    const clients = [await open(), await open()];
    const stranger = connect(endpoint);
    const heard = text(stranger);
    clients.forEach((client) => client.onEvent((event) => events.push(event)));
    server.broadcast('exit', { code: 0 });
    await Promise.all(clients.map(async (client) => client.request('none', null).catch(() => undefined)));
    expect(events).toEqual([
      { event: 'exit', params: { code: 0 } },
      { event: 'exit', params: { code: 0 } },
    ]);
    stranger.end();
    expect(await heard).toBe('');
  });

  it('refuses a wrong secret, a lower epoch, and lines that are no protocol, and hangs up', async () => {
    await serve({ minEpoch: () => 3 });
    await expect(open(3, 'n2')).rejects.toMatchObject({ code: 'bad-hello' });
    await expect(open(2)).rejects.toMatchObject({ code: 'stale-epoch' });
    await open(0);
    for (const line of ['nonsense', '{"v":1}', '[]', '{"v":1,"nonce":"n1","epoch":-1}']) {
      const stranger = connect(endpoint);
      stranger.write(`${line}\n`);
      expect(await text(stranger)).toContain('bad-hello');
    }
  });

  it('hangs up on a line above 4 MiB', async () => {
    await serve();
    const stranger = connect(endpoint);
    stranger.on('error', () => undefined);
    stranger.write('x'.repeat(4 * 1024 * 1024 + 2));
    expect(await text(stranger)).toContain('too-long');
  });

  it('rejects what is pending when the other side goes, and says so once', async () => {
    const server = await serve({ methods: { never: async () => new Promise(() => undefined) } });
    const client = await open();
    const pending = client.request('never', null);
    const closed = new Promise((resolve) => client.onClose(resolve));
    server.dispose();
    await expect(pending).rejects.toMatchObject({ code: 'closed' });
    await closed;
    await expect(client.request('never', null)).rejects.toMatchObject({ code: 'closed' });
  });

  it('gives up on a side that does not answer, e.g. because it is frozen', async () => {
    await serve({ methods: { never: async () => new Promise(() => undefined) } });
    await expect((await open(1, 'n1', 50)).request('never', null)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('tells plainly when nobody is there', async () => {
    await expect(open()).rejects.toMatchObject({ code: 'no-answer' });
  });
});

describe('the socket file', () => {
  it('is private, is taken over from the dead, and never from the living', async () => {
    const first = await serve();
    expect(statSync(endpoint).mode & 0o777).toBe(0o600);
    await expect(serve()).rejects.toThrow('EADDRINUSE');
    await open();
    first.dispose();
    await serve();
    await open();
  });

  it('is not taken from a file that is no socket', async () => {
    writeFileSync(endpoint, 'precious');
    await expect(serve()).rejects.toThrow();
    expect(statSync(endpoint).size).toBe(8);
  });

  it('is made again when it is gone, while open connections go on', async () => {
    const server = await serve({ methods: { echo: (params) => params } });
    const before = await open();
    rmSync(endpoint);
    await server.ensureListening();
    expect(await before.request('echo', 1)).toBe(1);
    expect(await (await open()).request('echo', 2)).toBe(2);
  });

  it('is refused at once where its path is too long', async () => {
    await expect(serve({ endpoint: join(folder, 'x'.repeat(120)) })).rejects.toThrow('shorter temp folder');
  });
});
