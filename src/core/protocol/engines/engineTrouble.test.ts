import { expect, it } from 'vitest';
import type { EngineVerdict } from './engineExit';
import { engineTrouble } from './engineTrouble';

const engine = { name: 'claude', loginCommand: 'claude auth login' };
const verdict: EngineVerdict = {
  class: 'crash',
  reason: 'It broke.',
  resetsAt: null,
  remedy: null,
  isTransient: false,
};

it.each<[Partial<EngineVerdict>, string]>([
  [
    { class: 'auth', remedy: 'log in' },
    'claude is not signed in: It broke. Log in with `claude auth login` in a terminal, then send this again.',
  ],
  [
    { class: 'rate limited', remedy: 'wait', resetsAt: Date.UTC(2026, 2, 1, 12) },
    'claude has reached its rate limit: It broke. It goes on by itself after 2026-03-01T12:00:00.000Z.',
  ],
  [{ remedy: 'wait' }, 'claude has reached its rate limit: It broke. It goes on by itself in some minutes.'],
  [{ reason: null }, 'claude failed: crash. Send this again; if it stays so, read the log of the agent.'],
])('an engine in trouble says what a person can do: %j', (changes, text) => {
  expect(engineTrouble({ ...verdict, ...changes }, engine)).toBe(text);
});
