import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { realEngines } from '../support/engines/realEngines';
import { noSandbox } from '../support/sandbox';
import { useTempFolder } from '../support/tempFolder';

const temp = useTempFolder('network');
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs tests of engineKeeper.test.ts in a network that has nothing but a loopback, and gives the names looked up there. */
async function namesLookedUp(tests: string, count: number): Promise<readonly string[]> {
  const [log, names] = [join(temp.path, 'names'), join(temp.path, 'resolv.conf')];
  writeFileSync(names, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  const alone = ['--dev-bind', '/', '/', '--unshare-net', '--cap-add', 'ALL', '--bind', names, '/etc/resolv.conf'];
  const vitest = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'integration'];
  const run = [...vitest, 'test/integration/engineKeeper.test.ts', '-t', tests];
  const wrapper = join(root, 'test', 'support', 'engines', 'aloneWithNames.mjs');
  const child = spawn('bwrap', [...alone, process.execPath, wrapper, log, process.execPath, ...run], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(code, `${output}${errors}`).toBe(0);
  expect(output).toContain(`Tests  ${count} passed`);
  return [...new Set(readFileSync(log, 'utf8').trim().split('\n'))];
}

describe.skipIf(realEngines === null || noSandbox !== null)('a whole health check', { timeout: 300_000 }, () => {
  it('needs no network with a real claude and a real codex, and they look up no name of any host', async () => {
    const checks = 'a real (claude|codex) behind its keeper does a whole health check';
    expect(await namesLookedUp(`${checks}|a real claude with a login`, 3)).toEqual(['noted.invalid']);
  });

  it('needs no network with a real opencode, which looks for a package registry and does not mind finding none', async () => {
    const names = await namesLookedUp('a real opencode behind its keeper does a whole health check', 1);
    expect(names[0]).toBe('noted.invalid');
    expect(names.slice(1).filter((name) => !name.startsWith('registry.'))).toEqual([]);
  });
});
