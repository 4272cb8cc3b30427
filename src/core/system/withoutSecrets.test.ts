import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../protocol/engines/engineEvent';
import { withoutSecrets } from './withoutSecrets';

const secret = 'a-secret-of-the-person';

describe('an event without secrets', () => {
  it('has none in any of its texts, however deep', () => {
    const input = { command: `curl -H ${secret}`, list: [{ inner: secret }], count: 1 };
    const event: EngineEvent = { kind: 'asked', requestId: '1', isQuestion: false, tool: 'Bash', input };
    const shown = { command: 'curl -H ***', list: [{ inner: '***' }], count: 1 };
    expect(withoutSecrets(event, [secret])).toEqual({ ...event, input: shown });
  });

  it('has no part of one that was cut in two while it arrived', () => {
    const shown = (text: string): EngineEvent => withoutSecrets({ kind: 'text', text }, [secret]);
    expect(shown(`it is ${secret.slice(0, 9)}…`)).toEqual({ kind: 'text', text: 'it is ***…' });
    expect(shown('it is a-s…')).toEqual({ kind: 'text', text: 'it is a-s…' });
  });

  it('keeps the ids by which lines are told apart', () => {
    const event: EngineEvent = {
      kind: 'toolFinished',
      id: secret,
      tool: null,
      file: null,
      writes: true,
      failed: false,
    };
    expect(withoutSecrets(event, [secret])).toEqual(event);
  });
});
