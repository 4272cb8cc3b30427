import { expect, it } from 'vitest';
import { type EngineAgentJob, readEngineAgentJob } from './engineAgentJob';

const job: EngineAgentJob = {
  agent: 'developer',
  engine: 'codex',
  program: '/bin/codex',
  settings: { program: null, models: { haiku: 'small' }, hosts: [], args: ['-m', 'x'] },
  model: 'none',
  prompt: null,
  root: '/project',
  folder: '/project/.claude/session/keepers/developer',
  hasWorktree: true,
  budgetUsd: 2,
  others: ['developer', 'qa'],
  takesTurns: false,
};

it('a job is read as it was written, with the adapter of its engine', () => {
  const read = readEngineAgentJob(JSON.stringify(job));
  expect(read?.job).toEqual(job);
  expect(read?.adapter.program).toBe('codex');
});

it.each(['', '[]', JSON.stringify({ ...job, engine: 'builtin' }), JSON.stringify({ ...job, root: 1 })])(
  'what is no job is none: %s',
  (text) => {
    expect(readEngineAgentJob(text)).toBeNull();
  },
);
