import { setTimeout } from 'node:timers/promises';
import { openWindowHost } from '../support/openWindowHost';

/** Files that were written a moment ago are looked at more often for a while, and code that is new is compiled. */
const SETTLING_MS = 5_000;

async function main([root = '', distDir = '', seconds = '']: readonly string[]): Promise<void> {
  const host = await openWindowHost(root, { distDir });
  await host.watch();
  await setTimeout(SETTLING_MS);
  const before = process.cpuUsage();
  const started = performance.now();
  await setTimeout(Number(seconds) * 1000);
  const { user, system } = process.cpuUsage(before);
  const percent = (100 * (user + system)) / 1000 / (performance.now() - started);
  process.stdout.write(JSON.stringify({ percent }));
  await host.shutdown();
  process.exit();
}

void main(process.argv.slice(2));
