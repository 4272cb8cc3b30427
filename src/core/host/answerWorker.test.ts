import { describe, expect, it } from 'vitest';
import { anAsk, anEngineSnapshot } from '../../../test/support/engineParts';
import { workerSnapshot } from '../../../test/support/snapshots';
import type { AnswerRequest } from './api';
import { answerOrder } from './answerWorker';

const worker = workerSnapshot({
  engine: anEngineSnapshot({
    asks: [anAsk(), anAsk({ requestId: 'req-2', isQuestion: true, text: 'Which one?', choices: ['red', 'blue'] })],
  }),
});

function order(request: Partial<AnswerRequest>): unknown {
  const whole = { worker: worker.workerId, allow: true, text: null, requestedBy: 'cli', ...request } as const;
  const outcome = answerOrder(whole, worker);
  return outcome.ok ? outcome.value.requestId : outcome.error.message;
}

describe('an answer', () => {
  it('is for the request that it names, else for the oldest', () => {
    expect(order({})).toBe('req-1');
    expect(order({ requestId: 'req-2', text: 'red' })).toBe('req-2');
  });

  it('is refused where nothing waits for it', () => {
    expect(order({ requestId: 'req-3' })).toMatch(/^Worker .* waits for no such answer/);
    const outcome = answerOrder({ worker: 'w', allow: false, text: null, requestedBy: 'cli' }, workerSnapshot());
    expect(outcome).toMatchObject({ ok: false, error: { code: 'wrong-state' } });
  });

  it('to a question is a text, and the refusal names the choices', () => {
    expect(order({ requestId: 'req-2' })).toBe('It asks: Which one? Choices: red, blue. Give the answer as text.');
    expect(order({ requestId: 'req-2', allow: false })).toBe('req-2');
  });
});
