import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/tempProject';
import type { EngineTurnEnd } from '../core/protocol/actors/engineTurnReplies';
import { carryOutCall } from './carryOutCall';
import { TurnLimited } from './turnLimited';

interface Rig {
  readonly session: string;
  readonly asked: readonly string[];
  readonly said: readonly string[];
  readonly run: (end?: EngineTurnEnd | null, during?: () => void) => Promise<number>;
}

async function rig(names: { readonly message?: string; readonly response?: string } = {}): Promise<Rig> {
  const root = await tempProject({ 'session/in.txt': '\uFEFFPaint it.\n', 'outside.txt': 'secret' });
  const session = join(root, 'session');
  const call = {
    sessionDir: session,
    messageFile: join(session, names.message ?? 'in.txt'),
    responseFile: join(session, names.response ?? 'out.txt'),
    agentFolder: join(session, 'keepers', 'a'),
  };
  const asked: string[] = [];
  const said: string[] = [];
  const run: Rig['run'] = async (end = { kind: 'done', text: 'Painted.' }, during = () => undefined) =>
    await carryOutCall(
      call,
      {
        run: async (promptFor) => {
          asked.push(promptFor(true));
          during();
          return Promise.resolve(end);
        },
      },
      (text) => said.push(text),
    );
  return { session, asked, said, run };
}

describe('a call that is carried out', () => {
  it('asks with the text of the message file, and puts the answer into the response file', async () => {
    const { session, asked, said, run } = await rig();
    expect(await run()).toBe(0);
    expect(asked).toEqual(['Paint it.\n']);
    expect(readFileSync(join(session, 'out.txt'), 'utf8')).toBe('Painted.');
    expect(said).toEqual([]);
    expect(readdirSync(session).sort()).toEqual(['in.txt', 'out.txt']);
  });

  it('takes the place of an older answer', async () => {
    const { session, run } = await rig();
    writeFileSync(join(session, 'out.txt'), 'older and longer');
    expect(await run()).toBe(0);
    expect(readFileSync(join(session, 'out.txt'), 'utf8')).toBe('Painted.');
  });

  it('leaves with the exit code of its program, and says why', async () => {
    const { session, said, run } = await rig();
    expect(await run({ kind: 'failed', reason: 'It broke. Mend it.', exitCode: 3 })).toBe(3);
    expect(await run({ kind: 'failed', reason: 'It did not finish.' })).toBe(1);
    expect(await run(null)).toBe(1);
    const limited = (): never => {
      throw new TurnLimited('The limit is over at 12:00.');
    };
    expect(await run(null, limited)).toBe(1);
    expect(said.slice(0, 2)).toEqual(['[failed] It broke. Mend it.', '[failed] It did not finish.']);
    expect(said.at(-1)).toBe('[failed] The limit is over at 12:00.');
    expect(existsSync(join(session, 'out.txt'))).toBe(false);
  });

  it('runs nothing without a message that may be read', async () => {
    const { session, asked, said, run } = await rig({ message: 'link.txt' });
    expect(await run()).toBe(1);
    symlinkSync('../outside.txt', join(session, 'link.txt'));
    expect(await run()).toBe(1);
    const behind = await rig({ message: 'far/in.txt' });
    symlinkSync('..', join(behind.session, 'far'));
    expect(await behind.run()).toBe(1);
    const empty = await rig({ message: 'empty.txt' });
    writeFileSync(join(empty.session, 'empty.txt'), ' \n');
    expect(await empty.run()).toBe(1);
    const large = await rig({ message: 'large.txt' });
    writeFileSync(join(large.session, 'large.txt'), 'x'.repeat(1024 * 1024 + 1));
    expect(await large.run()).toBe(1);
    expect([...asked, ...behind.asked, ...empty.asked, ...large.asked]).toEqual([]);
    expect(said[0]).toContain('There is no messageFile link.txt');
    expect(said[1]).toContain('leads out of');
    expect(large.said[0]).toContain('larger than 1 MiB');
  });

  it('writes through no link, also one that appeared while it ran', async () => {
    const { session, asked, run } = await rig();
    const outside = join(session, '..', 'outside.txt');
    symlinkSync('../outside.txt', join(session, 'out.txt'));
    expect(await run()).toBe(1);
    expect(asked).toEqual([]);
    const inner = await rig({ response: 'inner.txt' });
    symlinkSync('in.txt', join(inner.session, 'inner.txt'));
    expect(await inner.run()).toBe(1);
    expect(readFileSync(join(inner.session, 'in.txt'), 'utf8')).toContain('Paint it.');
    const swapped = await rig();
    const swap = (): void => {
      symlinkSync('../outside.txt', join(swapped.session, 'out.txt'));
    };
    expect(await swapped.run({ kind: 'done', text: 'Painted.' }, swap)).toBe(1);
    for (const file of [outside, join(swapped.session, '..', 'outside.txt')]) {
      expect(readFileSync(file, 'utf8')).toBe('secret');
    }
  });

  it('cuts an answer behind 1 MiB, and no letter in two', async () => {
    const { session, run } = await rig();
    expect(await run({ kind: 'done', text: `x${'ü'.repeat(1024 * 1024)}` })).toBe(0);
    const answer = readFileSync(join(session, 'out.txt'), 'utf8');
    expect(Buffer.byteLength(answer)).toBe(1024 * 1024 - 1);
    expect(answer.endsWith('ü')).toBe(true);
  });
});
