import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { EventLine } from '../../src/core/protocol/events/eventLine';
import { toRow } from '../../src/core/presenter/workerRow';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { engineProject, dummyKey, terminalEnv, workerIdIn, type EngineProject } from '../support/engines/engineProject';
import type { RealEngineName } from '../support/engines/installEngines';
import { realEngines } from '../support/engines/realEngines';
import type { ModelScript } from '../support/modelServer/modelAnswer';
import { startModelServer, type ModelServer } from '../support/modelServer/modelServer';
import { startCli } from '../support/runCli';
import { everythingIn, noSandbox } from '../support/sandbox';
import { readerAfter } from '../support/snapshots';
import { ShiftedClock } from '../support/shiftedClock';
import { openTestHost, untilSnapshot } from '../support/testHost';
import { registryOf } from '../support/workersProject';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await server.close();
});

/** Writes the worker's report and its own last word, as its task wants it. */
const wholeTask: ModelScript = ({ turn }) => {
  const folder = `.keysarium/workers/${workerIdIn(server)}`;
  const progress = { phase: 'checked', items_processed: 6, total_items: 6 };
  const word = { worker_id: workerIdIn(server), type: 'health-check', status: 'completed', progress, error: null };
  const files = [
    { path: `${folder}/output/health-report.json`, content: '{"checks":6}' },
    { path: `${folder}/status.json`, content: JSON.stringify(word) },
  ];
  const input = files[turn];
  return { steps: input === undefined ? [{ say: 'All done.' }] : [{ call: 'write', input }] };
};

/** Tries to change the project by a command, then does its task. */
const trespassingWithBash: ModelScript = (request) =>
  request.turn === 0
    ? { steps: [{ call: 'bash', input: { command: 'echo new > researches/new.md' } }] }
    : wholeTask({ ...request, turn: request.turn - 1 });

/** Writes where it may not, and says at the end what it was told. */
const trespassing: ModelScript = ({ turn }) => ({
  steps: turn === 0 ? [{ call: 'write', input: { path: 'notes.md', content: 'found' } }] : [{ say: 'All done.' }],
});

async function project(
  name: RealEngineName,
  script: ModelScript,
  isolation: 'audit' | 'sandbox' = 'audit',
): Promise<EngineProject> {
  return await engineProject({ name, bin: realEngines ?? '', server, script, isolation });
}

async function openHost(of: EngineProject, clock?: ShiftedClock): Promise<HostApi> {
  const options = { env: of.env, engines: () => of.engines, ...(clock === undefined ? {} : { clock }) };
  const host = await openTestHost(of.root, options);
  await host.watch();
  await host.lead();
  return host;
}

async function begin(host: HostApi): Promise<string> {
  const outcome = await host.start({ type: 'health-check', requestedBy: 'vscode' });
  if (!outcome.ok) {
    throw new Error(outcome.error.message);
  }
  return outcome.value.workerId;
}

async function until(host: HostApi, fits: (worker: WorkerSnapshot) => boolean): Promise<WorkerSnapshot> {
  const { workers } = await untilSnapshot(host, (snapshot) => snapshot.workers.some(fits));
  return workers.find(fits) as WorkerSnapshot;
}

/** The log up to the first event that fits. */
async function eventsUntil(host: HostApi, fits: (event: EventLine) => boolean): Promise<readonly EventLine[]> {
  const lines: EventLine[] = [];
  await new Promise<void>((resolve) => {
    const following = host.followEvents({ kind: 'seq', seq: 1 }, (line) => {
      lines.push(line);
      if (fits(line)) {
        following.dispose();
        resolve();
      }
    });
  });
  return lines;
}

/** Everything below a folder that holds a text. */
function holding(folder: string, text: string): readonly string[] {
  const files = everythingIn(folder).filter((path) => existsSync(join(folder, path)));
  return files.filter((path) => {
    try {
      return readFileSync(join(folder, path), 'utf8').includes(text);
    } catch {
      // A folder.
      return false;
    }
  });
}

describe.skipIf(realEngines === null)('a worker on a real engine', () => {
  it.each<RealEngineName>(['claude', 'codex', 'opencode'])('of %s does the task of its template', async (name) => {
    const of = await project(name, wholeTask);
    const host = await openHost(of);
    const workerId = await begin(host);
    const done = await until(host, ({ endedAt }) => endedAt !== null);
    expect(done).toMatchObject({
      state: 'completed',
      outputs: ['health-report.json'],
      exit: { class: 'done', code: 0 },
    });
    expect(done.engine).toMatchObject({ name, asks: [] });
    expect(done.engine?.usage.outputTokens).toBeGreaterThan(0);
    await host.refresh();
    expect(registryOf(of.root).get(workerId)).toMatchObject({ status: 'completed' });
    const [task] = server.requests.filter(({ scenario, nth }) => scenario === of.scenario && nth > 0);
    expect(JSON.stringify(task?.body)).toContain('You MUST:');
    expect(holding(join(of.root, '.keysarium'), dummyKey)).toEqual([]);
  });

  it.skipIf(noSandbox !== null)('works behind our sandbox, which keeps it from what it may not write', async () => {
    const of = await project('claude', trespassingWithBash, 'sandbox');
    const host = await openHost(of);
    await begin(host);
    const done = await until(host, ({ endedAt }) => endedAt !== null);
    expect(done).toMatchObject({
      state: 'completed',
      outputs: ['health-report.json'],
      isolation: { level: 'sandbox' },
    });
    expect(existsSync(join(of.root, 'researches', 'new.md'))).toBe(false);
    expect(toRow(done, done.workerId, readerAfter(0)).description).toMatch(/ · write refused: Bash$/);
    const told = server.requests
      .filter(({ scenario }) => scenario === of.scenario)
      .map(({ body }) => JSON.stringify(body));
    expect(told.some((body) => body.includes('Read-only file system'))).toBe(true);
  });

  it('asks a person, who allows it from a terminal and denies it there', async () => {
    const of = await project('claude', trespassing);
    const host = await openHost(of);
    const workerId = await begin(host);
    const asking = await until(host, ({ engine }) => (engine?.asks.length ?? 0) > 0);
    expect(asking).toMatchObject({ state: 'running', attention: { kind: 'permission' } });
    const env = terminalEnv(of);
    const inbox = await startCli(of.root, ['inbox'], { env }).ended;
    expect(inbox.stdout).toContain(`ask:${workerId}:`);
    expect(inbox.stdout).toContain('rollcall allow <ID>');
    const allowed = await startCli(of.root, ['allow', workerId], { env }).ended;
    expect(allowed).toMatchObject({ code: 0, stdout: `Answered: Write of worker ${workerId}.\n` });
    await until(host, ({ endedAt }) => endedAt !== null);
    expect(readFileSync(join(of.root, 'notes.md'), 'utf8')).toBe('found');
    const again = await startCli(of.root, ['allow', workerId], { env }).ended;
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('waits for no such answer') as string });

    const other = await project('claude', trespassing);
    const second = await openHost(other);
    const deniedId = await begin(second);
    await until(second, ({ engine }) => (engine?.asks.length ?? 0) > 0);
    const denied = await startCli(other.root, ['deny', deniedId, 'Not there, please.'], { env: terminalEnv(other) })
      .ended;
    expect(denied).toMatchObject({ code: 0, stdout: `Denied: Write of worker ${deniedId}.\n` });
    await until(second, ({ endedAt }) => endedAt !== null);
    expect(existsSync(join(other.root, 'notes.md'))).toBe(false);
    const bodies = server.requests
      .filter(({ scenario }) => scenario === other.scenario)
      .map(({ body }) => JSON.stringify(body));
    expect(bodies.at(-1)).toContain('Not there, please.');
    const answered = (await eventsUntil(second, ({ type }) => type === 'RequestAnswered')).filter(({ type }) =>
      type.startsWith('Request'),
    );
    expect(answered.map(({ type, data }) => [type, data['tool'], data['by'], data['allowed']])).toEqual([
      ['RequestAsked', 'Write', undefined, undefined],
      ['RequestAnswered', 'Write', 'cli', false],
    ]);
  });

  it('asks a question, which is put off, answered once, and not again from another surface', async () => {
    const options = [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: 'cold' },
    ];
    const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }];
    const of = await project('claude', ({ turn }) => ({
      steps: turn === 0 ? [{ call: 'AskUserQuestion', input: { questions } }] : [{ say: 'All done.' }],
    }));
    const host = await openHost(of);
    const workerId = await begin(host);
    const asking = await until(host, ({ engine }) => (engine?.asks.length ?? 0) > 0);
    expect(asking.attention).toEqual({ kind: 'question', text: 'Which colour?' });
    const run = async (...args: readonly string[]) => await startCli(of.root, args, { env: terminalEnv(of) }).ended;
    const { inbox } = JSON.parse((await run('inbox', '--json')).stdout) as { inbox: { id: string }[] };
    expect(inbox).toMatchObject([{ kind: 'question', text: 'Which colour?', choices: ['Red', 'Blue'] }]);
    const item = inbox[0]?.id ?? '';
    const snoozed = await run('inbox', 'snooze', item, '1d');
    expect(snoozed.stdout).toMatch(/is snoozed till .* It is denied at \d\d:\d\d already, unless you answer\.\n$/);
    expect((await run('answer', item, ' ')).stderr).toContain('It asks: Which colour? Choices: Red, Blue.');
    const both = await Promise.all([
      run('answer', item, 'Blue'),
      host.answerRequest({ worker: workerId, allow: true, text: 'Red', requestedBy: 'vscode' }),
    ]);
    const taken = [both[0].code === 0, both[1].ok];
    expect(taken.filter((one) => one)).toHaveLength(1);
    const done = await until(host, ({ endedAt }) => endedAt !== null);
    expect(done.engine?.answers).toHaveLength(1);
    const colour = taken[0] === true ? 'Blue' : 'Red';
    const bodies = server.requests
      .filter(({ scenario }) => scenario === of.scenario)
      .map(({ body }) => JSON.stringify(body));
    expect(bodies.at(-1)).toContain(`\\"Which colour?\\"=\\"${colour}\\"`);
    expect((await run('answer', item, 'Red')).code).toBe(1);
  });

  it('is parked by a rate limit, and goes on in its session when that is over', async () => {
    let requests = 0;
    const limit = { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '3600' } };
    const body = JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'Rate limit exceeded' } });
    const of = await project('claude', (request) => {
      requests += 1;
      return requests === 2 ? { ...limit, body } : wholeTask(request);
    });
    const clock = new ShiftedClock();
    const host = await openHost(of, clock);
    const workerId = await begin(host);
    const parked = await until(host, ({ state }) => state === 'parked');
    expect(parked).toMatchObject({ endedAt: null, attention: null, exit: { class: 'rate limited' } });
    expect(parked.nextStartAt).toBeGreaterThan(clock.now());
    await host.refresh();
    expect(registryOf(of.root).get(workerId)).toMatchObject({ status: 'running' });
    clock.goAhead((parked.nextStartAt ?? 0) - clock.now());
    await host.look();
    const done = await until(host, ({ endedAt }) => endedAt !== null);
    expect(done).toMatchObject({ workerId, state: 'completed', outputs: ['health-report.json'] });
    expect(done.engine?.sessionId).toBe(parked.engine?.sessionId);
    const events = await eventsUntil(host, ({ data }) => data['to'] === 'completed');
    const states = events.filter(({ type }) => type === 'WorkerStateChanged').map(({ data }) => data['to']);
    expect(states).toEqual(['starting', 'running', 'parked', 'starting', 'running', 'completed']);
  });

  it('that is parked is stopped for good, and opened in its own terminal then', async () => {
    const of = await project('claude', () => ({
      status: 429,
      headers: { 'retry-after': '3600' },
      body: '{"type":"error","error":{"type":"rate_limit_error","message":"Limit"}}',
    }));
    const clock = new ShiftedClock();
    const host = await openHost(of, clock);
    const workerId = await begin(host);
    const parked = await until(host, ({ state }) => state === 'parked');
    const open = await host.openCommand(workerId);
    expect(open).toMatchObject({
      ok: true,
      value: { command: [join(realEngines ?? '', 'claude'), '--resume', parked.engine?.sessionId], cwd: of.root },
    });
    expect(await host.stop({ worker: workerId, force: false, requestedBy: 'vscode' })).toMatchObject({ ok: true });
    clock.goAhead(3_600_000);
    const stopped = await until(host, ({ state }) => state === 'stopped');
    expect(stopped.nextStartAt).toBeNull();
    await host.refresh();
    expect(registryOf(of.root).get(workerId)).toMatchObject({ status: 'stopped' });
    expect(await host.wake(workerId)).toMatchObject({ ok: false, error: { code: 'wrong-state' } });
  });

  it('with a bad key fails at once and says how to sign in', async () => {
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    const of = await project('claude', () => ({
      status: 401,
      headers: {},
      body: JSON.stringify({ type: 'error', error }),
    }));
    const host = await openHost(of);
    const workerId = await begin(host);
    const failed = await until(host, ({ endedAt }) => endedAt !== null);
    expect(failed).toMatchObject({ state: 'failed', nextStartAt: null, exit: { class: 'auth', remedy: 'log in' } });
    const why = await startCli(of.root, ['why', workerId], { env: terminalEnv(of) }).ended;
    expect(why.stdout).toContain('Sign in to the engine in a terminal');
  });
});

describe.skipIf(realEngines === null)('rollcall doctor', () => {
  it('says of each engine where it is, and which types it would run', async () => {
    const of = await project('claude', wholeTask);
    const { stdout, code } = await startCli(of.root, ['doctor'], { env: terminalEnv(of) }).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('+ claude: 2.1.197 · signed in');
    expect(stdout).toContain('by ANTHROPIC_API_KEY');
    expect(stdout).toContain('used by consolidate, export-brain, health-check, pattern-analysis');
    expect(stdout.split('\n')[0]).toMatch(
      /^None of them is needed: .* builtin engine does the types of the protocol\.$/,
    );
    expect(stdout).toContain('- gemini: not installed · experimental');
    expect(stdout).toContain('- copilot: not installed · experimental');
  });

  it('leaves no trace of a start with an engine that is not there', async () => {
    const of = await project('claude', wholeTask);
    const run = await startCli(of.root, ['start', 'health-check', '--engine', 'gemini'], { env: terminalEnv(of) })
      .ended;
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('gemini is not installed. Install it with') as string,
    });
    expect(existsSync(join(of.root, '.keysarium'))).toBe(false);
  });
});
