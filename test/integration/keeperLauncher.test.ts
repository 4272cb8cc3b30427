import { readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/base/clock';
import type { KeeperReady } from '../../src/core/protocol/keeper/keeperSpec';
import { launchKeeper } from '../../src/core/supervisor/keeperLauncher';
import { identityOf } from '../../src/core/system/processIdentity';
import { KeptWorker } from '../support/keptWorker';
import { useTempFolder } from '../support/tempFolder';

const temp = useTempFolder('läuncher 木');
const READ_SPEC = `const line = require('node:fs').readFileSync(0, 'utf8');`;

interface Trial {
  readonly nodePath?: string;
  readonly timeoutMs?: number;
}

/** Launches a program in the place of the keeper. */
async function launch(program: string, { nodePath = process.execPath, timeoutMs }: Trial = {}): Promise<KeeperReady> {
  const keeperScript = join(temp.path, 'stand in.cjs');
  writeFileSync(keeperScript, program);
  const spec = new KeptWorker(temp.path, keeperScript).spec('');
  const env = { ONLY: 'this', PATH: process.env['PATH'] ?? '' };
  const timeout = timeoutMs === undefined ? {} : { timeoutMs };
  return await launchKeeper({ nodePath, keeperScript, spec, env, clock: systemClock(), ...timeout });
}

function writeJson(expression: string): string {
  const path = JSON.stringify(join(temp.path, 'seen.json'));
  return `require('node:fs').writeFileSync(${path}, JSON.stringify(${expression}));`;
}

function seen(): unknown {
  return JSON.parse(readFileSync(join(temp.path, 'seen.json'), 'utf8'));
}

describe('a keeper', () => {
  it('gets its spec on stdin, a clean environment and no folder to keep busy', async () => {
    const answer = { ready: true, endpoint: '/run/a.sock', process: null };
    const facts = `{ spec: JSON.parse(line), lines: line.split('\\n').length, env: Object.keys(process.env).sort(), cwd: process.cwd() }`;
    const print = `console.log(${JSON.stringify(JSON.stringify(answer))});`;
    expect(await launch(`${READ_SPEC}${writeJson(facts)}${print}`)).toEqual(answer);
    expect(seen()).toEqual({
      spec: { ...new KeptWorker(temp.path, '').spec(''), startedAt: expect.any(String) as string },
      lines: 2,
      env: ['ELECTRON_RUN_AS_NODE', 'ONLY', 'PATH'],
      cwd: parse(temp.path).root,
    });
  });

  it.each([
    ['ends without a word', READ_SPEC, 'ended before it was ready'],
    ['answers with something else', `${READ_SPEC}console.log('hello')`, 'not understood'],
    ['answers half', `${READ_SPEC}console.log('{"ready":true}')`, 'not understood'],
    ['ends before it reads its spec', 'process.exit(1)', 'ended before it was ready'],
  ])('that %s is a refusal with advice', async (_name, program, reason) => {
    const answer = await launch(program);
    expect(answer).toEqual({ ready: false, message: expect.stringMatching(`${reason}.*Try again`) as string });
  });

  it('that cannot be run at all is a refusal with its reason', async () => {
    const answer = await launch('', { nodePath: join(temp.path, 'no node here') });
    expect(answer).toMatchObject({ ready: false, message: expect.stringContaining('ENOENT') as string });
  });

  it('that never answers is ended, so that it starts nothing behind our back', async () => {
    const answer = await launch(`${writeJson('process.pid')}setInterval(() => {}, 1000);`, { timeoutMs: 1_000 });
    expect(answer).toMatchObject({
      ready: false,
      message: expect.stringContaining('did not answer within 1 s') as string,
    });
    const pid = seen() as number;
    await expect.poll(async () => await identityOf(pid), { timeout: 60_000 }).toBeNull();
  });
});
