import { chmod } from 'node:fs/promises';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toTree } from '../../src/core/presenter/toTree';
import { fakeEngineProject } from '../support/engines/fakeEngine';
import { eventually } from '../support/keeperRig';
import { readerAfter } from '../support/snapshots';
import { addFiles, tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';
import { workerFolders, workersDirOf } from '../support/workersProject';

const MEBIBYTE = 1024 * 1024;

interface Ended {
  readonly state: string;
  readonly exit: { readonly class: string; readonly says?: string };
  readonly log: string;
  readonly keeperBytes: number;
}

/** How a worker ends whose program does this, by what its files and a look say. */
async function endOf(plan: string): Promise<Ended> {
  const { root, run } = await fakeEngineProject(plan, { defaults: { engine: 'claude' } });
  const started = await run('start', 'health-check', '--wait', '--json');
  const { worker_id: id, state, exit } = JSON.parse(started.stdout) as Ended & { readonly worker_id: string };
  const folder = join(workersDirOf(root), id);
  // A look must show it too, whatever stands in the record.
  expect((await run('status')).code).toBe(0);
  const why = await run('why', id);
  expect(why.code).toBe(0);
  expect(why.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  const log = existsSync(join(folder, 'worker.log')) ? readFileSync(join(folder, 'worker.log'), 'utf8') : '';
  return { state, exit, log, keeperBytes: statSync(join(folder, 'keeper.json')).size };
}

describe('an engine that behaves oddly', () => {
  it.each([
    ['answers with a line of 5 MB', `begin(); say('x'.repeat(${String(5 * MEBIBYTE)})); end();`],
    [
      'prints 5 MB that are no line at all before its end',
      `begin(); write('y'.repeat(${String(5 * MEBIBYTE)}) + '\\n'); end();`,
    ],
    [
      'prints NUL bytes and escapes between its lines',
      `begin(); write(Buffer.from([0, 0, 27, 91, 50, 74, 10, 0])); write('\\n'); say('a\\u0000b\\u001b[2J'); end();`,
    ],
    [
      'cuts letters in half from write to write',
      `begin(); const b = Buffer.from(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: '字'.repeat(500) }] } }) + '\\n'); for (const one of b) write(Buffer.from([one])); end();`,
    ],
    [
      'nests deeper than a stack',
      `begin(); write('['.repeat(200000) + '\\n'); write('{"type":'.repeat(50000) + '\\n'); end();`,
    ],
    [
      'gives figures that are none',
      `begin(); line({ type: 'assistant', message: { id: 7, usage: { input_tokens: '9', output_tokens: -1e400 } } }); end({ total_cost_usd: 'much', modelUsage: { m: { inputTokens: null, outputTokens: [] } } });`,
    ],
    [
      'goes on behind its last line',
      `begin(); end(); write('more\\n'); line({ type: 'system', subtype: 'task_updated' });`,
    ],
  ])('and %s is done all the same', async (_title, plan) => {
    const ended = await endOf(plan);
    expect(ended.exit, ended.log.slice(-2_000)).toMatchObject({ class: 'done' });
    expect(ended.state).toBe('completed');
    expect(ended.keeperBytes).toBeLessThan(64 * 1024);
    expect(ended.log).not.toContain('\u0000');
    expect(ended.log).not.toContain('\u001b');
  });

  it.each([
    ['leaves with 0 and no last line', 'begin(); say("All done.");', /without the last line/],
    ['leaves with 0 and not one byte', '', /without the last line/],
    ['ends in the middle of its last line', `begin(); write('{"type":"result","is_err');`, /without the last line/],
    ['says that it failed and leaves with 0', `begin(); end({ is_error: true, result: 'no' });`, /no/],
    [
      'leaves with 0 behind 5 MB without a newline',
      `begin(); write('z'.repeat(${String(5 * MEBIBYTE)}));`,
      /without the last line/,
    ],
  ])('and %s has failed, and says why', async (_title, plan, why) => {
    const ended = await endOf(plan);
    expect(ended.state).toBe('failed');
    expect(ended.exit.says ?? '').toMatch(why);
    expect(ended.keeperBytes).toBeLessThan(64 * 1024);
  });

  it('and is silent for ever can be stopped, with its children', async () => {
    const plan = `process.on('SIGINT', () => {}); process.on('SIGTERM', () => {}); require('node:child_process').spawn('sleep', ['600']); setInterval(() => {}, 1e6);`;
    const { root, run } = await fakeEngineProject(plan, { defaults: { engine: 'claude', graceSeconds: 1 } });
    expect((await run('start', 'health-check')).code).toBe(0);
    const [id = ''] = workerFolders(root);
    await eventually(async () => {
      expect((await run('status')).stdout).toContain('running');
    });
    expect((await run('stop', id, '--force', '--wait')).code).toBe(0);
    expect(JSON.parse((await run('why', id, '--json')).stdout)).toMatchObject({
      state: 'stopped',
      exit: { forced: true },
    });
  });
});

it.each([
  [true, true],
  [false, false],
])('a project whose workspace is trusted (%s) has its own PATH searched for engines: %s', async (trusted, isRun) => {
  const types = { mine: { description: 'd', template: 'task.md', engine: 'claude' } };
  const root = await tempProject({ 'bin/claude': '#!/bin/sh\ntouch "$(dirname "$0")/was-run"\necho 1.2.3\n' });
  await chmod(join(root, 'bin/claude'), 0o755);
  const config = { version: 1, defaults: { env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin` } }, types };
  await addFiles(root, { '.vscode/workers.json': JSON.stringify(config), 'task.md': 'Do it.' });
  const host = await openTestHost(root, { trusted, env: { PATH: '/usr/bin:/bin', HOME: root } });
  await host.engines();
  expect(existsSync(join(root, 'bin/was-run'))).toBe(isRun);
});

it('one that spends more than it may is ended, and the fuse with its number is in the row, the inbox and the terminal', async () => {
  const spent = 'end({ total_cost_usd: 0.9, modelUsage: { m: { inputTokens: 1, outputTokens: 1 } } });';
  const plan = `begin(); ${spent} begin(); setInterval(() => {}, 1_000);`;
  const { run, open } = await fakeEngineProject(plan, { defaults: { engine: 'claude', limits: { costUsd: 0.5 } } });
  const waited = await run('start', 'health-check', '--wait');
  expect(waited.stdout).toContain('by a fuse (spend: 0.5 USD)');
  const host = await open();
  const [worker] = (await host.look()).workers;
  expect(worker).toMatchObject({ state: 'stopped', attention: { kind: 'fuse' }, fuses: { blown: { fuse: 'spend' } } });
  const id = worker?.workerId ?? '';
  expect((await run('status')).stdout).toContain(id);
  expect((await run('inbox')).stdout).toMatch(new RegExp(`worker:${id} .*fuse.*spend: 0.5 USD`));
  const [row] = toTree([await host.look()], readerAfter(0)).flatMap(({ children }) => children);
  expect(`${row?.label ?? ''} | ${row?.description ?? ''}`).toMatch(/fuse blown \| .*spend: 0\.5 USD/);
  expect((await run('fuse', 'reset', id)).code).toBe(0);
  expect((await run('inbox')).stdout).toBe('The inbox is empty.\n');
});
