import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProject, type ProjectCopy } from '../support/copyProject';

let copy: ProjectCopy;

beforeAll(async () => {
  copy = await copyProject();
});

afterAll(async () => {
  await copy.remove();
});

describe('npm start on a machine without a desktop VS Code', () => {
  it('shows the Workers view of the sample project', async () => {
    const { ended, output } = start('--smoke');
    expect(await output).toContain('smoke: the Workers view is there');
    expect(await ended).toBe(0);
    expect(existsSync(join(copy.folder, 'sample', 'researches'))).toBe(true);
  });

  it('prints an address that answers, and ends on Ctrl-C', async () => {
    const { child, ended } = start();
    const address = await new Promise<string>((resolve) => {
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString('utf8');
        const found = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(printed);
        if (found !== null) {
          resolve(found[0]);
        }
      });
    });
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    await expect(fetch(address)).rejects.toThrow();
  });
});

interface Started {
  readonly child: ReturnType<typeof spawnStart>;
  readonly ended: Promise<number | null>;
  readonly output: Promise<string>;
}

function start(...options: string[]): Started {
  const child = spawnStart(options);
  const ended = once(child, 'close').then(() => child.exitCode);
  return { child, ended, output: text(child.stdout) };
}

function spawnStart(options: string[]) {
  const env = { ...process.env };
  // A machine with a screen would open its desktop VS Code.
  for (const name of ['VSCODE_EXECUTABLE', 'DISPLAY', 'WAYLAND_DISPLAY']) {
    Reflect.deleteProperty(env, name);
  }
  const args = ['scripts/start.mjs', ...options];
  return spawn(process.execPath, args, { cwd: copy.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
}
