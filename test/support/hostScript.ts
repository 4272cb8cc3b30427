import { createInterface } from 'node:readline';
import type { HostApi } from '../../src/core/host/api';
import { openWindowHost } from './openWindowHost';

async function obey(host: HostApi, word: string, target: string): Promise<unknown> {
  const requestedBy = 'vscode';
  switch (word) {
    case 'start':
      return await host.start({ type: target, requestedBy });
    case 'queue':
      return await host.enqueue({ type: target, requestedBy });
    default:
      return await host.stop({ worker: target, force: word === 'force', requestedBy });
  }
}

/**
 * A window without VS Code: leads and watches the root given as first argument, with the bundles of the second one. It
 * prints a line for each snapshot and obeys `start <type>`, `queue <type>`, `stop <id>` and `force <id>` on stdin.
 */
async function main([root = '', distDir = '']: readonly string[]): Promise<void> {
  const host = await openWindowHost(root, { distDir });
  const say = (message: unknown): void => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  };
  host.onDidChangeSnapshot((snapshot) => {
    say({ snapshot });
  });
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [word = '', target = ''] = line.split(' ');
    void obey(host, word, target).then((outcome) => {
      say({ outcome });
    });
  });
  await host.watch();
  await host.lead();
  say({ ready: true });
}

void main(process.argv.slice(2));
