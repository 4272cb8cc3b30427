import { openWindowHost } from '../support/openWindowHost';

/** A window without VS Code and without a picture, which leads the root given as first argument as soon as it can. */
async function main([root = '', distDir = '']: readonly string[]): Promise<void> {
  const host = await openWindowHost(root, { distDir });
  await host.watch();
  await host.lead();
  process.stdout.write('ready\n');
}

void main(process.argv.slice(2));
