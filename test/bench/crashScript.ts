import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostApi } from '../../src/core/host/api';
import type { FleetSnapshot, WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { openWindowHost } from '../support/openWindowHost';

const TYPE = 'victim';

function writeProject(root: string): void {
  mkdirSync(join(root, '.vscode'), { recursive: true });
  const command = [process.execPath, '-e', 'setInterval(() => undefined, 60_000)'];
  const types = { [TYPE]: { description: 'Waits to be killed', command, isolation: 'audit' } };
  writeFileSync(join(root, '.vscode', 'workers.json'), JSON.stringify({ version: 1, types }));
}

/** The worker in the first snapshot that fits. */
async function shown(host: HostApi, id: string, fits: (worker: WorkerSnapshot) => boolean): Promise<WorkerSnapshot> {
  return await new Promise((resolve) => {
    const look = ({ workers }: FleetSnapshot): void => {
      const worker = workers.find(({ workerId }) => workerId === id);
      if (worker !== undefined && fits(worker)) {
        subscription.dispose();
        resolve(worker);
      }
    };
    const subscription = host.onDidChangeSnapshot(look);
    look(host.getSnapshot());
  });
}

/** Milliseconds from the kill of a worker's process to the snapshot that shows it waiting for its next start. */
async function crash(host: HostApi): Promise<number> {
  const started = await host.start({ type: TYPE, requestedBy: 'vscode' });
  if (!started.ok) {
    throw new Error(started.error.message);
  }
  const { workerId } = started.value;
  const { pid } = await shown(host, workerId, ({ state, pid: process }) => state === 'running' && process !== null);
  const waits = shown(host, workerId, ({ state }) => state === 'backoff');
  const killedAt = performance.now();
  process.kill(pid ?? Number.NaN, 'SIGKILL');
  await waits;
  const ms = performance.now() - killedAt;
  // So that it is not started again beside the next one.
  await host.stop({ worker: workerId, force: false, requestedBy: 'vscode' });
  return ms;
}

async function main([root = '', distDir = '', count = '']: readonly string[]): Promise<void> {
  writeProject(root);
  const host = await openWindowHost(root, { distDir });
  await host.watch();
  await host.lead();
  const times: number[] = [];
  for (let index = 0; index < Number(count); index += 1) {
    times.push(await crash(host));
  }
  process.stdout.write(JSON.stringify(times));
  await host.shutdown();
  process.exit();
}

void main(process.argv.slice(2));
