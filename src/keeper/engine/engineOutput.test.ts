import { describe, expect, it } from 'vitest';
import { noEngineFacts } from '../../core/protocol/engines/engineFacts';
import { type AskedEvent, EngineOutput } from './engineOutput';

const secret = 'a-secret-of-the-person';
const lines = [
  { type: 'system', subtype: 'init', session_id: 'one', model: 'small' },
  { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: `says ${secret}` }] } },
  {
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'can_use_tool', tool_name: 'Write', input: { file_path: 'a', content: secret } },
  },
  { type: 'result', is_error: false, subtype: 'success' },
];
const output = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function reader(): { readonly engine: EngineOutput; readonly asked: AskedEvent[] } {
  const asked: AskedEvent[] = [];
  const onNews = (news: readonly AskedEvent[]): void => {
    asked.push(...news);
  };
  const options = { stream: 'claude', facts: noEngineFacts, secrets: [secret], onNews } as const;
  return { engine: new EngineOutput(options), asked };
}

/** Takes the output in pieces of this size, each kept at once. */
function textInPieces(engine: EngineOutput, size: number): string {
  let text = '';
  for (let at = 0; at < output.length; at += size) {
    text += engine.take(output.subarray(at, at + size), at + size >= output.length).text;
    engine.keep();
  }
  return text;
}

describe('the output of a program that asks a model', () => {
  it('reads the same in the log, and sums up to the same, however it arrives', () => {
    const whole = reader();
    const text = textInPieces(whole.engine, output.length);
    expect(text).toContain('says ***');
    for (const size of [1, 7, 100]) {
      const pieces = reader();
      expect(textInPieces(pieces.engine, size)).toBe(text);
      expect(pieces.engine.facts).toEqual(whole.engine.facts);
    }
    expect(whole.engine.facts).toMatchObject({ sessionId: 'one', end: 'done', said: 'says ***' });
  });

  it('hands on what is asked with its secrets, which go back with the answer', () => {
    const { engine, asked } = reader();
    textInPieces(engine, 50);
    expect(asked.map(({ input }) => input)).toEqual([{ file_path: 'a', content: secret }]);
  });

  it('is known only as far as the log has it, and is read again from the beginning of a line', () => {
    const { engine, asked } = reader();
    const first = output.indexOf('\n') + 10;
    engine.take(output.subarray(0, first), false);
    engine.keep();
    expect(engine.openBytes).toBe(9);
    engine.take(output.subarray(first), true);
    engine.drop();
    expect([engine.facts.said, engine.openBytes, asked]).toEqual([null, 0, []]);
    const again = engine.take(output.subarray(first - 9), true);
    engine.keep();
    expect(again.text).toContain('says ***');
    expect(engine.facts.end).toBe('done');
  });

  it('waits no longer for what was answered, also where its line is read once more', () => {
    const { engine } = reader();
    const upToResult = output.subarray(0, output.lastIndexOf('{"type":"result"'));
    engine.take(upToResult, false);
    engine.drop();
    engine.answered('r1');
    engine.take(upToResult, false);
    engine.keep();
    expect(engine.facts.asked).toEqual([]);
  });
});
