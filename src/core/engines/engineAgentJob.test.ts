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
  call: null,
};

it('a job is read as it was written, with the adapter of its engine', () => {
  const read = readEngineAgentJob(JSON.stringify(job));
  expect(read?.job).toEqual(job);
  expect(read?.adapter.program).toBe('codex');
});

it('a job is one call where it names the files of one, and the agent itself where it does not', () => {
  const call = { sessionDir: '/s', messageFile: '/s/in.txt', responseFile: '/s/out.txt', agentFolder: '/s/one' };
  expect(readEngineAgentJob(JSON.stringify({ ...job, call }))?.job.call).toEqual(call);
  expect(readEngineAgentJob(JSON.stringify({ ...job, call: { ...call, responseFile: 3 } }))?.job.call).toBeNull();
});

it.each(['', '[]', JSON.stringify({ ...job, engine: 'builtin' }), JSON.stringify({ ...job, root: 1 })])(
  'what is no job is none: %s',
  (text) => {
    expect(readEngineAgentJob(text)).toBeNull();
  },
);
