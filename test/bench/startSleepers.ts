import type { FleetSnapshot } from '../../src/core/protocol/snapshot';
import { openWindowHost } from '../support/openWindowHost';
import { SLEEPERS } from './sleepers';

function running({ workers }: FleetSnapshot): number {
  return workers.filter(({ state }) => state === 'running').length;
}

async function main([root = '', distDir = '']: readonly string[]): Promise<void> {
  const host = await openWindowHost(root, { distDir });
  const allRun = new Promise<void>((resolve) => {
    host.onDidChangeSnapshot((snapshot) => {
      if (running(snapshot) === SLEEPERS) {
        resolve();
      }
    });
  });
  await host.watch();
  await host.lead();
  const starts = Array.from({ length: SLEEPERS }, async () => host.start({ type: 'sleeper', requestedBy: 'vscode' }));
  for (const outcome of await Promise.all(starts)) {
    if (!outcome.ok) {
      throw new Error(outcome.error.message);
    }
  }
  await allRun;
  await host.shutdown();
  process.exit();
}

void main(process.argv.slice(2));
