import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/tempProject';
import { claude } from '../core/engines/claude';
import { noEngineSettings } from '../core/engines/modelEngine';
import { readEngineAgent } from '../core/protocol/actors/engineAgentRecord';
import { engineUsage } from '../core/protocol/engines/keptEngine';
import { usedOn } from '../core/protocol/engines/usageMarks';
import { EngineTurns } from './engineTurns';

/** A program that speaks as claude does: what it was asked goes to `asked`, its arguments to `called`. */
const program = `#!/bin/sh
echo "$*" >>called
cat >>asked
session() { echo '{"type":"system","subtype":"init","session_id":"'$1'","model":"m"}'; }
say() { echo '{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"'"$1"'"}]}}'; }
done_() { echo '{"type":"result","subtype":"success","is_error":false,"result":"x"}'; }
. ./plan
`;

interface Rig {
  readonly turns: EngineTurns;
  /** Those of the next process. */
  readonly again: () => EngineTurns;
  readonly log: readonly string[];
  readonly root: string;
  readonly plan: (script: string) => Promise<void>;
  readonly said: (name: 'asked' | 'called') => Promise<string>;
}

async function rig(): Promise<Rig> {
  const root = await tempProject({ claude: program, 'agent/cursor': '' });
  await chmod(join(root, 'claude'), 0o755);
  const log: string[] = [];
  const newTurns = (): EngineTurns =>
    new EngineTurns({
      adapter: claude,
      distDir: root,
      env: { PATH: '/usr/bin:/bin', HOME: root, A_TOKEN: 'secret-of-the-person' },
      print: (text) => log.push(text),
      job: {
        agent: 'developer',
        engine: 'claude',
        program: join(root, 'claude'),
        settings: noEngineSettings,
        model: 'none',
        prompt: null,
        root,
        folder: join(root, 'agent'),
        hasWorktree: false,
        budgetUsd: null,
        others: [],
        takesTurns: false,
        call: null,
      },
    });
  return {
    turns: newTurns(),
    again: newTurns,
    log,
    root,
    plan: async (script) => {
      await writeFile(join(root, 'plan'), script);
    },
    said: async (name) => await readFile(join(root, name), 'utf8'),
  };
}

const promptFor = (isFirst: boolean): string => (isFirst ? 'first' : 'next');

describe('a turn of an engine', () => {
  it('goes on with the session of the one before, also in another process', async () => {
    const { turns, plan, said, log } = await rig();
    await plan('session s-1; say Hello; done_');
    expect(await turns.run(promptFor)).toEqual({ kind: 'done', text: 'Hello' });
    expect(await turns.run(promptFor)).toEqual({ kind: 'done', text: 'Hello' });
    const [first, second] = (await said('called')).trim().split('\n');
    expect(first).not.toContain('--resume');
    expect(second).toContain('--resume s-1');
    expect(await said('asked')).toBe('firstnext');
    expect(log).toContain('Hello');
  });

  it('begins a new session where the program does not know the old one, and not where it failed in it', async () => {
    const { turns, plan, said } = await rig();
    await plan('session s-1; done_');
    await turns.run(promptFor);
    await plan('case "$*" in *--resume*) exit 1;; esac; session s-2; say Again; done_');
    expect(await turns.run(promptFor)).toEqual({ kind: 'done', text: 'Again' });
    expect(await said('asked')).toBe('firstnextfirst');
    await plan('session s-2; exit 1');
    expect(await turns.run(promptFor)).toMatchObject({ kind: 'failed' });
    expect(await said('asked')).toBe('firstnextfirstnext');
  });

  it('takes what the model said last, without secrets', async () => {
    const { turns, plan, log } = await rig();
    const tool = '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}';
    await plan(`session s-1; say Before; echo '${tool}'; say secret-of-the-person; done_`);
    expect(await turns.run(promptFor)).toEqual({ kind: 'done', text: '***' });
    expect(log.join('\n')).not.toContain('secret-of-the-person');
  });

  it('that ends without its last line has failed, whatever its exit code', async () => {
    const { turns, plan, root } = await rig();
    await plan('session s-1; say Hello');
    const end = await turns.run(promptFor);
    expect(end?.kind === 'failed' ? end.reason : '').toContain('did not finish');
    expect(existsSync(join(root, 'agent', 'turn.raw'))).toBe(false);
  });

  it('reads what the program wrote in the very moment of its end', async () => {
    const { turns, plan } = await rig();
    await plan('session s-1; i=0; while [ $i -lt 3000 ]; do say line$i; i=$((i+1)); done; done_');
    const end = await turns.run(promptFor);
    expect(end?.kind === 'done' ? end.text.split('\n') : []).toHaveLength(3000);
  });

  it('is interrupted, and says nothing then', async () => {
    const { turns, plan, root } = await rig();
    await plan('session s-1; trap "exit 1" INT; : >begun; while :; do sleep 0.05; done');
    const running = turns.run(promptFor);
    while (!existsSync(join(root, 'begun'))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    turns.interrupt();
    expect(await running).toBeNull();
  });

  it('that meets a rate limit is no failure, and tells until when', async () => {
    const { turns, plan, root, said } = await rig();
    await plan('session s-1; done_');
    await turns.run(promptFor);
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_900_000_000 } };
    const end = { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: 'Limit' };
    await plan(`echo '${JSON.stringify(limit)}'; echo '${JSON.stringify(end)}'; exit 1`);
    await expect(turns.run(promptFor)).rejects.toThrow('It goes on by itself after 2030-03-17T17:46:40.000Z');
    expect(await said('asked')).toBe('firstnext');
    const record = readEngineAgent(await readFile(join(root, 'agent', 'engine.json'), 'utf8'));
    expect(record).toMatchObject({ isOpen: false, limit: { says: 'Limit', resetsAt: '2030-03-17T17:46:40.000Z' } });
  });

  it('adds to what the turns before used, also those of another process', async () => {
    const { turns, plan, root, again } = await rig();
    const end = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      total_cost_usd: 0.25,
      modelUsage: { m: { inputTokens: 3, outputTokens: 2 } },
    };
    await plan(`session s-1; echo '${JSON.stringify(end)}'`);
    await turns.run(promptFor);
    await turns.run(promptFor);
    await again().run(promptFor);
    const record = readEngineAgent(await readFile(join(root, 'agent', 'engine.json'), 'utf8'));
    expect(record?.engine === undefined ? null : engineUsage(record.engine)).toMatchObject({
      inputTokens: 9,
      outputTokens: 6,
      costUsd: 0.75,
    });
    const used = usedOn(record?.marks ?? [], (at) => at > Date.now() - 3_600_000);
    expect(used).toMatchObject({ inputTokens: 9, outputTokens: 6, costUsd: 0.75 });
  });

  it('was on the day on which it was, also where the next process is of another day', async () => {
    const { turns, plan, root, again } = await rig();
    const used = { total_cost_usd: 0.25, modelUsage: { m: { inputTokens: 3, outputTokens: 2 } } };
    const use = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, ...used });
    await plan(`session s-1; echo '${use}'`);
    await turns.run(promptFor);
    const file = join(root, 'agent', 'engine.json');
    const before = JSON.parse(await readFile(file, 'utf8')) as { marks: unknown };
    // As a version before the marks wrote it, long ago.
    await writeFile(file, JSON.stringify({ ...before, at: '2026-03-01T12:00:00.000Z', marks: undefined }));
    await again().run(promptFor);
    const { marks = [] } = readEngineAgent(await readFile(file, 'utf8')) ?? {};
    const isOld = (at: number): boolean => at === Date.UTC(2026, 2, 1, 12);
    expect(usedOn(marks, isOld).costUsd).toBe(0.25);
    expect(usedOn(marks, (at) => !isOld(at)).costUsd).toBe(0.25);
  });

  it('whose program is gone says so', async () => {
    const { turns, plan, root } = await rig();
    await plan('done_');
    await writeFile(join(root, 'claude'), '');
    await chmod(join(root, 'claude'), 0o644);
    const end = await turns.run(promptFor);
    expect(end?.kind === 'failed' ? end.reason : '').toContain('could not be started (EACCES)');
  });
});
