import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { detectEngines } from '../../src/core/engines/detectEngines';
import type { EngineSandbox } from '../../src/core/engines/engineSandbox';
import { sandboxed } from '../../src/core/engines/isolation/sandboxed';
import type { EngineCommand } from '../../src/core/protocol/keeper/keeperSpec';
import { sandboxBoxOf } from '../../src/core/system/sandboxBox';
import { SandboxRun } from '../../src/keeper/sandboxRun';
import {
  engineWorkerId,
  startEngineRun,
  type EngineRun,
  type EngineRunEnd,
  type EngineRunOptions,
} from '../support/engines/engineRun';
import type { RealEngineName } from '../support/engines/installEngines';
import { realEngines } from '../support/engines/realEngines';
import { startModelServer, type ModelServer } from '../support/modelServer/modelServer';
import type { ModelScript } from '../support/modelServer/modelAnswer';
import { means, noSandbox } from '../support/sandbox';
import { useTempFolder } from '../support/tempFolder';

const names: readonly RealEngineName[] = ['claude', 'codex', 'opencode'];
const ownFile = join('.keysarium', 'workers', engineWorkerId, 'output', 'report.md');
const subAgents = ['Agent', 'Task', 'task', 'spawn_agent'];

const folder = useTempFolder('engines');
let server: ModelServer;
let scenarios = 0;
const running: EngineRun[] = [];

/** Where sockets are: their paths are short and have no blank in them. */
const runtimeDir = mkdtempSync(join(tmpdir(), 'rollcall-box-'));

/** opencode behind a connection that breaks: it tries for 60 to 75 s, which no switch shortens, beside the other tests. */
const cutPlace = mkdtempSync(join(tmpdir(), 'rollcall cut '));
let cut: EngineRun | null = null;

beforeAll(async () => {
  server = await startModelServer();
  server.script('own folder', writing(ownFile));
  server.script('elsewhere', writing('elsewhere.md'));
  server.script('above', writing(join('..', 'elsewhere.md')));
  if (realEngines !== null) {
    cut = await startEngineRun({ name: 'opencode', bin: realEngines, server, place: cutPlace, scenario: 'cut' });
  }
});
afterAll(async () => {
  if (cut !== null) {
    killRun(cut);
  }
  await server.close();
  [runtimeDir, cutPlace].forEach((place) => {
    rmSync(place, { recursive: true, force: true });
  });
});
afterEach(() => {
  running.splice(0).forEach(killRun);
});

function writing(path: string): ModelScript {
  return ({ turn }) => ({
    steps: turn === 0 ? [{ call: 'write', input: { path, content: 'found' } }] : [{ say: 'All done.' }],
  });
}

/** Whatever of it still runs, commands of the model among it. */
function killRun({ process: child }: EngineRun): void {
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended, which is what is wanted.
    }
  }
}

type Changes = Pick<EngineRunOptions, 'request' | 'env' | 'wrap'>;

/** Each run has a scenario of its own, so that its requests can be told from those of the others. */
async function start(
  name: RealEngineName,
  scenario: string,
  changes: Changes = {},
): Promise<EngineRun & { readonly asked: string }> {
  scenarios += 1;
  const asked = `${scenario},id=${scenarios}`;
  const options = { name, bin: realEngines ?? '', server, place: folder.path, ...changes };
  const run = await startEngineRun({ ...options, scenario: encodeURIComponent(asked) });
  running.push(run);
  return { ...run, asked };
}

async function finish(name: RealEngineName, scenario: string, changes: Changes = {}): Promise<EngineRunEnd> {
  return await (await start(name, scenario, changes)).end();
}

function requestsOf(asked: string): ModelServer['requests'] {
  return server.requests.filter((request) => request.scenario === asked && request.nth > 0);
}

function project(...path: string[]): string {
  return join(folder.path, 'project', ...path);
}

/** As host and keeper put the sandbox around a worker. */
async function inBox(box: SandboxRun, command: EngineCommand, engine: EngineSandbox): Promise<EngineCommand> {
  const worker = project('.keysarium', 'workers', engineWorkerId);
  const { run, place } = sandboxed(command, {
    program: means.program,
    box: sandboxBoxOf(runtimeDir, worker),
    root: project(),
    folder: worker,
    mayWrite: [],
    home: join(folder.path, 'home'),
    hosts: [],
    engine: { ...engine, protects: engine.protects.filter((path) => existsSync(path)) },
  });
  await box.prepare(place);
  return run;
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

describe.skipIf(realEngines === null).each(names)('a real %s, run by its adapter', (name) => {
  it('is done with its end line, goes on with the same session, and is offered no sub-agents', async () => {
    const first = await start(name, 'text');
    const end = await first.end();
    expect(end.verdict, end.output).toMatchObject({ class: 'done', reason: null });
    expect(end.facts).toMatchObject({ said: 'Hello from the script.', end: 'done', unknownLines: 0 });
    expect(end.facts.usage).toMatchObject({ inputTokens: 1200, cachedTokens: 1000, outputTokens: 34 });
    const offered = requestsOf(first.asked).flatMap((request) => request.offered);
    expect(offered).not.toHaveLength(0);
    expect(offered.filter((tool) => subAgents.includes(tool))).toEqual([]);

    const resume = end.facts.sessionId ?? '';
    const second = await start(name, 'text', { request: { resume, prompt: 'And now?' } });
    const later = await second.end();
    expect(later.verdict, later.output).toMatchObject({ class: 'done' });
    expect(later.facts.sessionId).toBe(resume);
    const sent = JSON.stringify(requestsOf(second.asked).map((request) => request.body));
    expect(sent).toContain('Hello from the script.');
    expect(sent).toContain('And now?');
  });

  it('runs nothing that the project brings along, and sends none of its notes', async () => {
    const hook = { hooks: [{ type: 'command', command: `touch '${project('hooked')}'` }] };
    const server1 = { command: '/bin/sh', args: ['-c', `touch '${project('served')}'`] };
    const files: Record<string, string> = {
      '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: [hook], UserPromptSubmit: [hook] } }),
      '.mcp.json': JSON.stringify({ mcpServers: { one: server1 } }),
      'CLAUDE.md': 'NOTES-OF-THE-PROJECT',
      'AGENTS.md': 'NOTES-OF-THE-PROJECT',
      '.codex/config.toml': `[mcp_servers.one]\ncommand = "/bin/sh"\nargs = ["-c", "touch '${project('served')}'"]\n`,
      'opencode.json': JSON.stringify({
        mcp: { one: { type: 'local', command: [server1.command, ...server1.args], enabled: true } },
      }),
    };
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(project(path), '..'), { recursive: true });
      writeFileSync(project(path), content);
    }
    const run = await start(name, 'text');
    const end = await run.end();
    expect(end.verdict, end.output).toMatchObject({ class: 'done' });
    expect([existsSync(project('hooked')), existsSync(project('served'))]).toEqual([false, false]);
    expect(JSON.stringify(requestsOf(run.asked).map((request) => request.body))).not.toContain('NOTES-OF-THE-PROJECT');
    expect(Object.keys(files).map((path) => textOf(project(path)))).toEqual(Object.values(files));
  });
});

describe.skipIf(realEngines === null || noSandbox !== null).each(names)('a real %s inside our sandbox', (name) => {
  it('does its work there, writes nothing elsewhere, and hides its keys from its commands', async () => {
    const look = `env > '${ownFile}.env'; touch elsewhere.md`;
    server.script('look', ({ turn }) => ({
      steps: [
        turn === 0
          ? { call: 'write', input: { path: ownFile, content: 'found' } }
          : turn === 1
            ? { call: 'bash', input: { command: look } }
            : { say: 'All done.' },
      ],
    }));
    const box = new SandboxRun(runtimeDir, project('.keysarium', 'workers', engineWorkerId));
    const run = await start(name, 'look', {
      request: { isSandboxed: true },
      wrap: async (...args) => await inBox(box, ...args),
    });
    const end = await run.end();
    await box.remove();
    expect(end.verdict, end.output).toMatchObject({ class: 'done' });
    expect(textOf(project(ownFile))?.trim(), end.output).toBe('found');
    const seen = textOf(project(`${ownFile}.env`));
    expect(seen, end.output).toContain('ROLLCALL_INSIDE=1');
    expect(seen).not.toContain('_API_KEY');
    expect(textOf(project('elsewhere.md'))).toBeNull();
    expect(end.facts.refused, end.output).toMatchObject({ count: 1 });
  });
});

// claude asks a person, which engineKeeper.test.ts shows. The others have nobody to ask: codex's exec never asks and its own
// sandbox refuses, in the project nothing; opencode's run would end its turn with what it asks, so its rules deny at once.
describe.skipIf(realEngines === null).each(names)('a real %s outside our sandbox, where nobody is asked', (name) => {
  it('writes nothing where it may not, and goes on', async () => {
    const [scenario, place] = name === 'codex' ? ['above', join('..', 'elsewhere.md')] : ['elsewhere', 'elsewhere.md'];
    const end = await finish(name, scenario);
    expect(textOf(project(place)), end.output).toBeNull();
    expect(end.verdict, end.output).toMatchObject({ class: 'done' });
    expect(end.facts).toMatchObject({ files: [], fileCount: 0, said: 'All done.' });
  });
});

describe.skipIf(realEngines === null)('the search for engines', () => {
  it('finds the real programs with their versions, and asks them whether somebody is logged in', async () => {
    const world = { env: { PATH: [realEngines ?? '', process.env['PATH'] ?? ''].join(delimiter) }, home: folder.path };
    const found = await detectEngines({ ...world, settings: {} });
    expect(found.slice(0, 3).map(({ name, version, login }) => [name, version, login])).toEqual([
      ['claude', '2.1.197', 'no'],
      ['codex', '0.171.0', 'no'],
      ['opencode', '1.18.33', 'unknown'],
    ]);
    expect(found[0]?.advice).toContain('claude auth login');
    const withKey = { ...world, env: { ...world.env, ANTHROPIC_API_KEY: 'dummy' } };
    const [claude] = await detectEngines({ ...withKey, settings: {} });
    expect(claude).toMatchObject({ login: 'yes', loginBy: 'ANTHROPIC_API_KEY', trouble: null });
    const none = await detectEngines({ env: { PATH: folder.path }, home: folder.path, settings: {} });
    expect(none.map(({ trouble }) => trouble)).not.toContain(null);
  });
});

describe.skipIf(realEngines === null)('a real codex', () => {
  it('keeps its keys from the commands of the model', async () => {
    server.script('environment', ({ turn }) => ({
      steps: turn === 0 ? [{ call: 'bash', input: { command: 'env > environment.txt' } }] : [{ say: 'Done.' }],
    }));
    const end = await finish('codex', 'environment', { env: { MARK: 'passed on' } });
    const seen = textOf(project('environment.txt'));
    expect(seen, end.output).toContain('MARK=passed on');
    expect(seen).not.toContain('API_KEY');
  });

  it('says in its rollout file when its limit ends', async () => {
    const end = await finish('codex', 'usage');
    expect(end.verdict, end.output).toMatchObject({ class: 'rate limited' });
    const wait = (end.verdict.resetsAt ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(3_000_000);
    expect(wait).toBeLessThanOrEqual(3_600_000);
  });
});

describe.skipIf(realEngines === null)('a real claude', () => {
  it('loses nothing of an answer of 5 MB', async () => {
    const end = await finish('claude', 'huge');
    expect(end.verdict).toMatchObject({ class: 'done' });
    expect(end.facts).toMatchObject({ unknownLines: 0, end: 'done' });
    expect(end.output.length).toBeGreaterThan(10_000_000);
  });
});

describe.skipIf(realEngines === null)('a real opencode whose answer broke off', () => {
  it('tries it six times, and then fails for now', async () => {
    const end = await cut?.end();
    expect(end?.verdict, end?.output).toMatchObject({ class: 'crash', remedy: 'retry', isTransient: true });
    expect(end?.facts.sessionId).not.toBeNull();
    expect(server.requests.filter(({ scenario, nth }) => scenario === 'cut' && nth > 0)).toHaveLength(6);
  });
});
